// What JSON or a look at the own keys would lose in silence: a lost rule may be the one that denies.

import { describe, expect, it } from 'vitest'

import { createToolgate } from '../ts/index.ts'
import { payTool, quiet, readTool } from './support/gate.ts'

const { read } = readTool()
const tools = { read }

class Rules {
  locked = 'deny'
}

const inherited: object = Object.create({ read: 'deny' })
const named = Object.assign(['ask'], { read: 'deny' })
const circular: { read: object } = { read: {} }
circular.read = circular

describe('rules that would be lost', () => {
  it.each<[string, unknown, string]>([
    ['a map', { locked: new Map([['w', 'deny']]) }, 'permission.locked` is an instance of `Map`'],
    ['a function', { 'vip*': () => 'deny' }, 'permission.vip*` is a function'],
    ['nothing', { locked: { w: undefined } }, 'permission.locked.w` is missing'],
    ['a condition that is nothing', { read: [{ action: 'deny', when: undefined }] }, 'permission.read[0].when` is missing'],
    ['an instance', new Rules(), 'permission` is an instance of `Rules`'],
    ['inherited rules', inherited, 'permission` is an object with a prototype of its own'],
    ['a symbol', { read: Symbol('deny') }, 'permission.read` is a symbol'],
    ['a symbol as a key', { [Symbol('read')]: 'deny' }, 'permission` has members that JSON does not see'],
    ['a hidden member', Object.defineProperty({}, 'read', { value: 'deny' }), 'permission` has members'],
    ['a getter', { get read() { return 'deny' } }, 'permission.read` is a getter'],
    ['a number that is none', { read: Number.NaN }, 'permission.read` is NaN'],
    ['a list with names', { read: named }, 'permission.read` has holes or named members'],
    ['what contains itself', circular, 'contains itself'],
    ['its own way to JSON', { read: 'deny', toJSON: () => ({}) }, 'permission.toJSON` is a function'],
  ])('are an error: %s', async (_, permission, message) => {
    await expect(quiet(Object({ tools, config: { permission } }))).rejects.toMatchObject({
      name: 'ToolgateError',
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    })
    const toolgate = await quiet({ tools })
    await expect(toolgate.table(Object({ permission }))).rejects.toMatchObject({
      name: 'ToolgateError',
      code: 'OPTION_INVALID',
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ['tools', { tools: new Map([['read', false]]) }],
    ['tools', { tools: Object.create({ read: false }) }],
    ['permission', { permission: new Map([['read', 'deny']]) }],
  ])('are an error in the `%s` of a turn', async (key, turn) => {
    const toolgate = await quiet({ tools })
    await expect(toolgate.table(Object(turn))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(`turn.${key}`),
    })
  })

  it('are an error where the whole turn or all options are a map', async () => {
    const toolgate = await quiet({ tools })
    await expect(toolgate.table(Object(new Map([['role', 'x']])))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
    await expect(createToolgate(Object(new Map()))).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })

  it('are an error in a config that says itself what JSON gets', async () => {
    const config = { permission: { read: 'deny' }, toJSON: () => ({}) } as const
    await expect(quiet({ tools, config })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('config.toJSON'),
    })
  })

  it.each(['declare', 'tools'])('are an error in a map of `%s`', async (key) => {
    const { pay } = payTool()
    const options = { tools: { pay }, [key]: new Map([['pay', { effect: 'destructive' }]]) }
    await expect(quiet(options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(`\`${key}\` is an instance of \`Map\``),
    })
  })

  it('are none in what JSON keeps, also without a prototype', async () => {
    const permission = Object.assign(Object.create(null), { read: 'deny' })
    const toolgate = await quiet({ tools, declare: { read: { effect: 'read' } }, config: { permission } })
    expect((await toolgate.table()).hidden).toHaveLength(1)
  })
})
