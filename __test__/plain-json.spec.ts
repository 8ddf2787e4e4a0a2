import { describe, expect, it } from 'vitest'

import { toPlainJson, type PlainJson } from '../ts/plain-json.ts'

/** What the copy of a value that JSON can say looks like. */
function copied(text: string): PlainJson {
  return { ok: true, value: JSON.parse(text), text }
}

/** What the refusal of any other value looks like. */
function refused(reason: RegExp, path = ''): PlainJson {
  return { ok: false, reason: expect.stringMatching(reason), path }
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}

/** An array of `length` holes. */
function holes(length: number): unknown[] {
  const array: unknown[] = []
  array.length = length
  return array
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0)
}

describe('what JSON can say', () => {
  it('is copied with the text of the copy', () => {
    expect(toPlainJson(null)).toEqual(copied('null'))
    expect(toPlainJson('é😀')).toEqual(copied('"é😀"'))
    expect(toPlainJson({ a: [1, true, { b: null }] })).toEqual(copied('{"a":[1,true,{"b":null}]}'))
  })

  it('is a copy: a later change of the original changes nothing', () => {
    const inner = { amount: 1 }
    const plain = toPlainJson({ inner })
    inner.amount = 9_999
    expect(plain).toEqual(copied('{"inner":{"amount":1}}'))
  })

  it('drops members that are undefined, as JSON does', () => {
    expect(toPlainJson({ a: undefined, b: 1 })).toEqual(copied('{"b":1}'))
  })

  it('takes objects without a prototype', () => {
    expect(toPlainJson(Object.assign(Object.create(null), { a: 1 }))).toEqual(copied('{"a":1}'))
  })

  it('writes minus zero as zero, in the value too', () => {
    expect(toPlainJson([-0])).toEqual(copied('[0]'))
  })

  it('may hold the same object twice', () => {
    const shared = { a: 1 }
    expect(toPlainJson([shared, shared])).toEqual(copied('[{"a":1},{"a":1}]'))
  })

  it('keeps an own `__proto__` a member and no prototype', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":2}'
    const plain = toPlainJson(JSON.parse(text))
    const value = plain.ok ? Object(plain.value) : undefined
    expect(plain).toMatchObject({ ok: true, text })
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  it('does not count what is inherited, hidden or named by a symbol', () => {
    const value = { own: 1, [Symbol('s')]: 2 }
    Object.defineProperty(value, 'hidden', { value: 3, enumerable: false })
    expect(toPlainJson(value)).toEqual(copied('{"own":1}'))
  })
})

describe('what JSON would change or lose', () => {
  it.each([
    ['a big integer', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['nothing', undefined],
    ['not a number', Number.NaN],
    ['infinity', Number.NEGATIVE_INFINITY],
  ])('refuses %s', (_, value) => {
    expect(toPlainJson(value)).toEqual(refused(/is not JSON/))
  })

  it.each([
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a set', new Set()],
    ['bytes', new Uint8Array(2)],
    ['a regular expression', /x/],
    ['an instance', new (class Order { id = 1 })()],
    ['a boxed string', Object('x')],
    ['a promise', Promise.resolve()],
    ['an object that inherits', Object.create({ a: 1 })],
  ])('refuses %s', (_, value) => {
    expect(toPlainJson({ value })).toEqual(refused(/only plain objects/, '/value'))
  })

  it('refuses an array of another kind', () => {
    class List extends Array {}
    expect(toPlainJson(new List())).toEqual(refused(/only plain arrays/))
  })

  it('says where', () => {
    expect(toPlainJson({ a: [{ 'b/c~d': 1n }] })).toEqual(refused(/bigint/, '/a/0/b~1c~0d'))
  })

  it('refuses undefined in an array, holes and named members', () => {
    expect(toPlainJson([undefined])).toEqual(refused(/undefined/, '/0'))
    expect(toPlainJson(holes(3))).toEqual(refused(/holes/))
    expect(toPlainJson(Object.assign([1, 2], { named: 1 }))).toEqual(refused(/holes/))
    expect(toPlainJson(Object.assign(holes(1), { named: 1 }))).toEqual(refused(/holes/))
  })

  it('refuses half a surrogate pair in values and keys', () => {
    expect(toPlainJson('\ud800')).toEqual(refused(/surrogate/))
    expect(toPlainJson(['ok', 'x\udc00'])).toEqual(refused(/surrogate/, '/1'))
    expect(toPlainJson({ '\ud83d': 1 })).toEqual(refused(/surrogate/))
  })

  it('never runs a getter', () => {
    let runs = 0
    const getter = { get: () => (runs += 1), enumerable: true }
    expect(toPlainJson(Object.defineProperty({}, 'a', getter))).toEqual(refused(/getter/, '/a'))
    expect(toPlainJson(Object.defineProperty([1], 0, getter))).toEqual(refused(/getter/, '/0'))
    expect(runs).toBe(0)
  })

  it('refuses a proxy that throws, without its words', () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('secret')
        },
      },
    )
    expect(toPlainJson(hostile)).toEqual(refused(/^it cannot be read$/))
  })

  it('reads a proxy once, so that its copy and its text agree', () => {
    let reads = 0
    const shifty = new Proxy(
      { amount: 1 },
      {
        getOwnPropertyDescriptor: () => ({
          value: (reads += 1),
          enumerable: true,
          configurable: true,
          writable: true,
        }),
      },
    )
    const plain = toPlainJson(shifty)
    expect(plain.ok && JSON.stringify(plain.value) === plain.text).toBe(true)
  })

  it('refuses `toJSON`, which would answer for its object', () => {
    expect(toPlainJson({ toJSON: () => 1 })).toEqual(refused(/function/, '/toJSON'))
  })
})

describe('bounds', () => {
  it('refuses what contains itself', () => {
    const cycle: unknown[] = []
    cycle.push({ cycle })
    expect(toPlainJson(cycle)).toEqual(refused(/contains itself/, '/0/cycle'))
  })

  it('takes 127 levels of arrays and objects and no more', () => {
    expect(toPlainJson(nested(127)).ok).toBe(true)
    expect(toPlainJson(nested(128))).toMatchObject({ reason: expect.stringMatching(/deeper/) })
    expect(toPlainJson(nested(100_000))).toMatchObject({ reason: expect.stringMatching(/deeper/) })
  })

  it('takes 100,000 values and no more', () => {
    expect(toPlainJson(zeros(99_999)).ok).toBe(true)
    expect(toPlainJson(zeros(100_000))).toEqual(refused(/more than 100000/))
    expect(toPlainJson(holes(4_000_000_000))).toEqual(refused(/more than 100000/))
    expect(toPlainJson({ a: zeros(60_000), b: zeros(60_000) })).toEqual(refused(/more than 100000/, '/b'))
  })
})
