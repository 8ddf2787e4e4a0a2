// Runs a command to its end, with its output passed through and, if wanted, kept.
import { spawn } from 'node:child_process'
import { root } from './root.mjs'

const isWindows = process.platform === 'win32'
const TICK_MS = 15_000

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, keep?: 'stdout' | 'both', isQuiet?: boolean,
 *   isAlone?: boolean, label?: string }} [options]
 * `keep` returns what was printed: `stdout` keeps it to itself, `both` prints it as well.
 * `isQuiet` prints nothing unless the command fails. `isAlone` gives it no input. `label` prints a line every 15 seconds where
 * no terminal shows the command's own progress.
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run(command, args, options = {}) {
  const { cwd = root, env = process.env, keep, isQuiet = false, isAlone = false, label } = options
  const isPiped = keep === 'both' || isQuiet
  const child = spawn(command, args, {
    cwd,
    env,
    // npm is a script there, and only a shell starts scripts.
    shell: isWindows && command === 'npm',
    stdio: [isAlone ? 'ignore' : 'inherit', isPiped || keep === 'stdout' ? 'pipe' : 'inherit', isPiped ? 'pipe' : 'inherit'],
  })
  let output = ''
  const take = (isShown, sink) => (chunk) => {
    output += chunk
    if (isShown) sink.write(chunk)
  }
  child.stdout?.setEncoding('utf8').on('data', take(keep === 'both', process.stdout))
  child.stderr?.setEncoding('utf8').on('data', take(keep === 'both', process.stderr))

  const started = Date.now()
  const ticker =
    label !== undefined && !process.stderr.isTTY
      ? setInterval(() => console.error(`  ${label}: ${seconds(started)}`), TICK_MS)
      : undefined
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += `${command}: ${error.message}\n`
      if (!isQuiet) console.error(`${command}: ${error.message}`)
      resolve(127)
    })
    child.once('close', (exitCode, signal) => {
      if (signal !== null) console.error(`${command} was ended by ${signal}`)
      resolve(exitCode ?? 128)
    })
  })
  clearInterval(ticker)
  if (isQuiet && code !== 0) process.stderr.write(output)
  return { code, output }
}

/** Runs a command that has to succeed. */
export async function must(command, args, options = {}) {
  const result = await run(command, args, options)
  if (result.code !== 0) {
    throw new Error(`\`${[command, ...args].join(' ')}\` ended with exit code ${result.code}`)
  }
  return result.output
}

/** The time since `started`, for people: `7.4 s`. */
export function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`
}
