// The main example, as a newcomer runs it: what the transcript says, what the model was really
// sent, and that one changed rule changes both.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runAgent } from '../examples/agent/agent.ts'
import { serveScriptedModel, type ModelRequest } from '../examples/agent/scripted-model.ts'
import { openTerminal } from '../examples/agent/terminal.ts'
import { createTranscript } from '../examples/agent/transcript.ts'
import { openWorkspace } from '../examples/agent/workspace.ts'

const example = (name: string) => fileURLToPath(new URL(`../examples/agent/${name}`, import.meta.url))
const shippedConfig = readFileSync(example('toolgate.jsonc'), 'utf8')

let folder: string
let directory: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolgate-test-'))
  directory = join(folder, 'garden')
  mkdirSync(join(directory, 'src'), { recursive: true })
  writeFileSync(join(directory, 'README.md'), '# Garden\n\nA small program that waters plants.\n')
  writeFileSync(join(directory, 'src/water.ts'), 'export const water = "Garden"\n')
  writeFileSync(join(directory, '.env'), 'PASSWORD=canary-7f3a\n')
})

afterEach(() => rmSync(folder, { recursive: true }))

describe('the transcript', () => {
  it('tells why three of eight tools are not offered, and offers five', async () => {
    const { text, offered } = await run()
    expect(text).toMatch(/^tools +8 candidates$/m)
    expect(text).toMatch(/1 absent: not in the toolset of this tenant/)
    expect(text).toMatch(/1 not offered: count_lines, .*toolgate\.jsonc:\d+/)
    expect(text).toMatch(/1 hidden: empty_scratch, .*toolgate\.jsonc:\d+/)
    expect(text).toMatch(/= 5 offered: read_file, search_text, append_note, delete_file, long_log$/m)
    expect(offered).toEqual(['read_file', 'search_text', 'append_note', 'delete_file', 'long_log'])
  })

  it('names the rule that let a read through', async () => {
    const { text } = await run()
    expect(detailsOf(text, 'read_file', 'README.md')).toMatch(/allowed .*toolgate\.jsonc:\d+[^]*returned .*# Garden/)
  })

  it('names the rule that refused a secret, which reaches nobody', async () => {
    const { text, requests } = await run()
    expect(detailsOf(text, 'read_file', '.env')).toMatch(/refused .*\*\.env\*.*toolgate\.jsonc:\d+[^]*model reads /)
    expect(text).not.toContain('canary-7f3a')
    expect(JSON.stringify(requests)).not.toContain('canary-7f3a')
  })

  it('reads the secret once the rule is changed, and nothing else changes', async () => {
    const before = await run()
    const after = await run({ change: ['"*.env*": "deny"', '"*.env*": "allow"'] })
    expect(detailsOf(after.text, 'read_file', '.env')).toMatch(/allowed [^]*returned .*canary-7f3a/)
    expect(resultOf(after.requests, 'secret')).toContain('canary-7f3a')
    const calls = (text: string) => text.split('\n').filter((line) => /^ ?\d+ {2}/.test(line))
    expect(calls(after.text)).toEqual(calls(before.text))
  })

  it('explains a wrong type to the model, which corrects itself', async () => {
    const { text, requests } = await run()
    expect(detailsOf(text, 'long_log', 'all')).toMatch(/invalid .*lines.*integer/)
    expect(resultOf(requests, 'log')).toMatch(/lines.*integer/)
    expect(detailsOf(text, 'long_log', '500')).toMatch(/allowed [^]*returned /)
  })

  it('sums up', async () => {
    const { text, requests } = await run({ answers: ['y', 'n', 'y'] })
    expect(text).toMatch(/^ran +\d+ calls$/m)
    expect(text).toMatch(/^asked +3: 2 yes, 1 no$/m)
    expect(text).toMatch(/^refused +2 by a rule, 1 for their input$/m)
    expect(text).toMatch(new RegExp(`^sent +[\\d,]+ bytes in ${requests.length} requests`, 'm'))
    expect(text.split('\n').length).toBeLessThan(70)
  })
})

describe('questions', () => {
  it('a yes counts once', async () => {
    const { text, requests } = await run({ answers: ['y', 'y', 'y'] })
    expect(text.match(/^ +asked /gm)).toHaveLength(3)
    expect(resultOf(requests, 'note')).toBe('noted in @scratch/notes.md')
    expect(text).toMatch(/^notes +none left$/m)
  })

  it('an always counts for the session', async () => {
    const { text, requests } = await run({ answers: ['a', 'y'] })
    expect(text.match(/^ +asked /gm)).toHaveLength(2)
    expect(resultOf(requests, 'note-again')).toBe('noted in @scratch/notes.md')
  })

  it('a message reaches the model', async () => {
    const { requests } = await run({ answers: ['write less', 'n'] })
    expect(resultOf(requests, 'note')).toContain('write less')
  })

  it('nobody there means no', async () => {
    const { text, requests } = await run()
    expect(text).toMatch(/^answers +nobody is there.*--answers y,a,n/m)
    expect(text).toMatch(/^asked +2: 0 yes, 2 no$/m)
    expect(resultOf(requests, 'note')).toContain('nobody is there to answer')
  })

  it('no yes writes into the directory', async () => {
    const allowed = await run({ answers: ['a', 'y', 'y'], change: ['"*": "deny"', '"*": "ask"'] })
    expect(resultOf(allowed.requests, 'delete-foreign')).toBe('deleted src/water.ts')
    expect(readFileSync(join(directory, 'src/water.ts'), 'utf8')).toContain('Garden')
  })
})

describe('the workspace', () => {
  it.each([
    ['./src/../.env', ['.env']],
    ['/etc/hostname', ['../etc/hostname']],
    ['@scratch/../x', [expect.stringMatching(/^\.\.\//)]],
    ['@scratch/notes.md', ['@scratch/notes.md']],
    ['innocent.txt', ['innocent.txt', '.env']],
  ])('gives %s the names that rules are written for', async (name, expected) => {
    symlinkSync(join(directory, '.env'), join(directory, 'innocent.txt'))
    const workspace = await openWorkspace(directory)
    expect(workspace.resources(name)).toEqual(expected)
    workspace.close()
  })
})

// A process each: slow where many run at once.
describe('the command', { timeout: 120_000 }, () => {
  it('runs without a terminal and without colors', async () => {
    const { stdout, code } = await start([directory])
    expect(stdout).toMatch(/^model +no real one: a fixed script, served on http:\/\/127\.0\.0\.1:\d+/m)
    expect(stdout).not.toContain('\x1b')
    expect(code).toBe(0)
  })

  it('runs in an empty directory', async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    expect(await start([empty])).toMatchObject({ code: 0, stderr: '' })
  })

  it.each([
    ['a directory that is missing', ['missing'], /missing.*no such file/],
    ['a file', ['garden/README.md'], /README\.md.*not a directory/],
    ['an unknown option', ['--yes'], /--yes[^]*usage: npm start/],
  ])('refuses %s with one clear line', async (_, words, line) => {
    const { stderr, code } = await start(words)
    expect(stderr).toMatch(line)
    expect(code).toBe(2)
  })

  it('says in one line that the model cannot be reached', async () => {
    const { stderr, code } = await start([directory], real('http://127.0.0.1:1/v1'))
    expect(stderr).toMatch(/^the model did not answer: .*\n$/)
    expect(code).toBe(1)
  })

  it('says in one line that the key is wrong', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"that key opens nothing"}}')
    })
    const { stderr, code } = await start([directory], real(server.url))
    expect(stderr).toBe('the model did not answer: that key opens nothing\n')
    expect(code).toBe(1)
  })

  it('stops at Ctrl-C', async () => {
    let interrupt = () => {}
    await using server = await serve(() => interrupt()) // Never answers.
    const { stderr, code } = await start([directory], real(server.url), (child) => {
      interrupt = () => child.kill('SIGINT')
    })
    expect({ stderr, code }).toEqual({ stderr: 'stopped by Ctrl-C\n', code: 130 })
  })
})

interface Run {
  answers?: string[]
  /** One rule of the shipped configuration, and what stands there instead. */
  change?: [string, string]
}

async function run({ answers = [], change }: Run = {}) {
  const config = join(folder, 'toolgate.jsonc')
  writeFileSync(config, change === undefined ? shippedConfig : changed(...change))

  const model = await serveScriptedModel()
  let text = ''
  try {
    await runAgent({
      directory,
      config,
      endpoint: { baseUrl: model.baseUrl, apiKey: 'none', model: 'scripted', about: 'the test' },
      terminal: openTerminal(answers),
      transcript: createTranscript({
        write: (more) => {
          text += more
        },
        isColored: false,
        columns: 300,
      }),
      signal: new AbortController().signal,
    })
  } finally {
    await model.close()
  }
  const offered = model.requests[0]?.tools.map((tool) => tool.function.name)
  return { text, requests: model.requests, offered }
}

function changed(rule: string, other: string): string {
  if (!shippedConfig.includes(rule)) throw new Error(`the configuration has no ${rule}`)
  return shippedConfig.replace(rule, other)
}

/** The lines under the call of `tool` whose input holds `about`. */
function detailsOf(text: string, tool: string, about: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.includes(`  ${tool}`) && line.includes(about))
  const details = lines.slice(start + 1)
  return details.slice(0, details.indexOf('')).join('\n')
}

/** What the model was sent as the result of a step of its script. */
function resultOf(requests: readonly ModelRequest[], step: string): string {
  const messages = requests.at(-1)?.messages ?? []
  return messages.find((message) => message.tool_call_id === `call_${step}`)?.content ?? ''
}

function real(baseUrl: string) {
  return { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'key', MODEL: 'some-model' }
}

async function start(
  words: string[],
  env: Record<string, string> = {},
  started: (child: ReturnType<typeof spawn>) => void = () => {},
) {
  const { PATH, HOME, TOOLGATE_SDK } = process.env
  const child = spawn(process.execPath, ['--import', 'tsx', example('main.ts'), ...words], {
    env: { PATH, HOME, TOOLGATE_SDK, INIT_CWD: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const [code] = await once(child, 'close')
  return { stdout, stderr, code }
}

async function serve(answer: Parameters<typeof createServer>[1]) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
