// What the README shows has to run as it stands there.
import { readFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

/** The code blocks of the README that are marked to be run. */
const blocks = [...readFileSync(`${ROOT}README.md`, 'utf8').matchAll(/<!-- test: run -->\n```ts\n([\s\S]*?)```/g)].map(
  ([, code]) => code ?? '',
)

describe('the README', () => {
  it('has a block that runs', () => {
    expect(blocks.length).toBeGreaterThan(0)
  })

  it.each(blocks)('runs as it stands: block %#', async (block) => {
    // The block runs against the built package under its own name, and a failed `console.assert` ends it.
    const code = `console.assert = (holds, ...rest) => { if (!holds) throw new Error(\`not so: \${rest}\`) }\n${block}\nconsole.log('ran to its end')`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd: ROOT })
    expect(stdout).toContain('ran to its end')
  })
})
