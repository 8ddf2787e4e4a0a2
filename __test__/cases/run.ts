// Runs every case file of the folder TOOLGATE_CASES and prints `FILE: passed/total`, where total is
// every line of the file, then the ids that failed and those that nothing supports yet.
//
// It exits non-zero when a supported case fails.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import * as toolgate from 'toolgate'

import { isSupported, judge, type PermissionCase } from './permission.ts'

const folder = process.env['TOOLGATE_CASES']
if (folder === undefined) throw new Error('TOOLGATE_CASES names no folder')
let hasFailed = false

for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort()) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n').filter((line) => line !== '')
  const cases: PermissionCase[] = lines.map((line) => JSON.parse(line))
  const failed: string[] = []
  const unsupported: string[] = []
  let passed = 0
  for (const testCase of cases) {
    // The cases of the built-in tools come with the tools.
    if (file !== 'permission_cases.jsonl' || !isSupported(testCase)) {
      unsupported.push(testCase.id)
      continue
    }
    const wrong = await judge(toolgate, testCase).catch(String)
    if (wrong === undefined) passed += 1
    else failed.push(`${testCase.id}: ${wrong}`)
  }
  hasFailed ||= failed.length > 0
  console.log(`${file}: ${passed}/${lines.length}`)
  for (const line of failed) console.log(`  failed ${line}`)
  if (unsupported.length > 0) console.log(`  not yet supported (${unsupported.length}): ${unsupported.join(' ')}`)
}
process.exitCode = hasFailed ? 1 : 0
