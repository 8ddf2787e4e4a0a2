// `npm start [-- DIRECTORY] [--answers y,a,n]`: the command around the agent. It reads arguments and
// environment, chooses the model, and turns what went wrong into one line and an exit code:
// 1 the run failed, 2 it was called in a wrong way, 130 Ctrl-C.

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ToolgateError } from 'toolgate'
import { runAgent, type Endpoint } from './agent.ts'
import { ModelError } from './report.ts'
import { serveScriptedModel } from './scripted-model.ts'
import { openTerminal } from './terminal.ts'
import { createTranscript } from './transcript.ts'
import { DirectoryError } from './workspace.ts'

const usage = 'usage: npm start [-- DIRECTORY] [--answers y,a,n,TEXT]'
const repository = fileURLToPath(new URL('../../', import.meta.url))
const { env, stdin, stdout } = process

/** The command was called in a way that it does not know. */
class UsageError extends Error {}

process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  let close = async () => {}
  try {
    const { directory, answers } = readArguments(words)
    const { endpoint, ...model } = await chooseModel()
    close = model.close
    await runAgent({
      directory,
      config: fileURLToPath(new URL('toolgate.jsonc', import.meta.url)),
      endpoint,
      terminal: openTerminal(answers, stdin.isTTY && stdout.isTTY ? stdin : undefined),
      transcript: createTranscript({
        write: (text) => stdout.write(text),
        isColored: stdout.isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
        columns: (stdout.isTTY && stdout.columns) || 120,
      }),
      signal: interrupted.signal,
    })
    return 0
  } catch (error) {
    if (interrupted.signal.aborted) return stop('stopped by Ctrl-C', 130)
    if (error instanceof UsageError) return stop(`${error.message}\n${usage}`, 2)
    if (error instanceof DirectoryError) return stop(error.message, 2)
    if (error instanceof ModelError) return stop(error.message, 1)
    if (ToolgateError.isInstance(error)) return stop(tell(error), 1)
    throw error
  } finally {
    await close()
  }
}

function readArguments(words: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: { answers: { type: 'string' } },
      allowPositionals: true,
    })
    if (positionals.length > 1) throw new Error('one directory at most')
    // npm changes into the package; a relative directory is meant from where the person stands.
    const directory = resolve(env['INIT_CWD'] ?? '.', positionals[0] ?? repository)
    return { directory, answers: values.answers?.split(',') ?? [] }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function chooseModel(): Promise<{ endpoint: Endpoint; close: () => Promise<void> }> {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, MODEL: model } = env
  const given = [baseUrl, apiKey, model].filter((value) => (value ?? '') !== '')
  if (given.length > 0 && given.length < 3) {
    throw new UsageError('a real model needs all of OPENAI_BASE_URL, OPENAI_API_KEY and MODEL')
  }
  if (baseUrl && apiKey && model) {
    return { endpoint: { baseUrl, apiKey, model, about: `${model} at ${baseUrl}` }, close: async () => {} }
  }
  const scripted = await serveScriptedModel()
  const about = `no real one: a fixed script, served on ${scripted.baseUrl}`
  return { endpoint: { baseUrl: scripted.baseUrl, apiKey: 'none', model: 'scripted', about }, close: scripted.close }
}

function tell({ message, help, span }: ToolgateError): string {
  const place = span === undefined ? [] : [`at ${span.file}:${span.line}:${span.column}`, span.caret]
  return [message, ...place, help ?? ''].join('\n').trimEnd()
}

function stop(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`)
  return exitCode
}
