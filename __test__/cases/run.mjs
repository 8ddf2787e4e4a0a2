// Runs every case file of the folder TOOLGATE_CASES and prints `FILE: passed/total`, where total is
// every line of the file, then the ids that failed and those that nothing supports yet.
//
// It exits non-zero when a supported case fails.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import * as toolgate from 'toolgate'

import * as permission from './permission.mjs'

/** What judges the cases of a file; a file that is not here is not supported yet. */
const judges = { 'permission_cases.jsonl': permission }

const folder = process.env.TOOLGATE_CASES
if (folder === undefined) throw new Error('TOOLGATE_CASES names no folder')
let hasFailed = false

for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort()) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter((line) => line !== '')
  const judge = judges[file]
  const failed = []
  const unsupported = []
  let passed = 0
  for (const line of lines) {
    const testCase = JSON.parse(line)
    if (judge === undefined || !judge.isSupported(testCase)) {
      unsupported.push(testCase.id)
      continue
    }
    const wrong = await judge.judge(toolgate, testCase).catch((error) => String(error))
    if (wrong === undefined) passed += 1
    else failed.push(`${testCase.id}: ${wrong}`)
  }
  hasFailed ||= failed.length > 0
  console.log(`${file}: ${passed}/${lines.length}`)
  for (const line of failed) console.log(`  failed ${line}`)
  if (unsupported.length > 0) console.log(`  not yet supported (${unsupported.length}): ${unsupported.join(' ')}`)
}
process.exitCode = hasFailed ? 1 : 0
