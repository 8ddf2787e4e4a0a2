// The permission cases that rules alone decide, through the addon and the public API.

import { readFileSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import * as toolgate from '../ts/index.ts'
import { isSupported, judge, type PermissionCase } from './cases/permission.ts'

const lines = readFileSync(new URL('../fixtures/cases/permission_cases.jsonl', import.meta.url), 'utf8')
const cases = lines
  .split('\n')
  .filter((line) => line !== '')
  .map((line): PermissionCase => JSON.parse(line))
  .filter(isSupported)

describe('the plain permission cases', () => {
  it('are all there', () => {
    expect(cases.length).toBeGreaterThanOrEqual(50)
  })

  it.each(cases.map((testCase) => [testCase.id, testCase]))('%s is decided as written', async (_id, testCase) => {
    expect(await judge(toolgate, testCase)).toBeUndefined()
  })
})
