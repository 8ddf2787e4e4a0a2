import { describe, expect, it } from 'vitest'

import { compileTool, faults, validate } from '../ts/native.ts'

const FITS = 0
const FAULTY = 1
const TOO_DEEP = 2
const TOO_MANY = 3

type Fault = { path: string; expected: string; got: string }

function tool(inputSchema: unknown) {
  return compileTool(
    JSON.stringify({
      name: 'probe',
      source: 'test',
      isEffectDeclared: false,
      hasOwnParser: false,
      inputSchema,
    }),
  )
}

function told(inputSchema: unknown, input: unknown): Fault[] {
  const list: string | Fault[] = faults(tool(inputSchema), input)
  return typeof list === 'string' ? JSON.parse(list) : list
}

function check(inputSchema: unknown, input: unknown, expected: number, fault?: Partial<Fault>) {
  expect(validate(tool(inputSchema), input)).toBe(expected)
  const list = told(inputSchema, input)
  expect(list.length > 0).toBe(expected !== FITS)
  if (fault) expect(list[0]).toMatchObject(fault)
}

function nested(levels: number): object {
  let value = {}
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

const TREE = {
  $ref: '#/$defs/tree',
  $defs: { tree: { type: 'object', properties: { a: { $ref: '#/$defs/tree' } } } },
}

describe('depth and size', () => {
  it('stops at an input of a hundred thousand levels', () => {
    check(TREE, nested(100_000), TOO_DEEP, { path: '(the whole input)' })
  })

  it('takes a hundred levels and refuses a hundred and thirty', () => {
    check(TREE, nested(100), FITS)
    check(TREE, nested(130), TOO_DEEP)
  })

  it('stops at an object that contains itself', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['a'] = cyclic
    check(TREE, cyclic, TOO_DEEP)
  })

  it('stops at an array that contains itself', () => {
    const cyclic: unknown[] = []
    cyclic.push(cyclic)
    check({ $ref: '#/$defs/l', $defs: { l: { items: { $ref: '#/$defs/l' } } } }, cyclic, TOO_DEEP)
  })

  it('does not mind depth that the schema does not look at', () => {
    check({ properties: { x: { type: 'string' } } }, { x: 'a', y: nested(100_000) }, FITS)
  })

  it('stops at more than a hundred thousand values', () => {
    const schema = { items: { type: 'number' } }
    check(schema, Array.from({ length: 90_000 }, (_, at) => at), FITS)
    check(schema, Array.from({ length: 100_001 }, (_, at) => at), TOO_MANY)
  })

  it('stops at an array that only claims to be long', () => {
    const sparse: unknown[] = []
    sparse.length = 4_294_967_295
    check({ items: { type: 'number' } }, sparse, TOO_MANY)
    check({ maxItems: 5 }, sparse, FAULTY, { expected: 'at most 5 items' })
  })

  it('stops at a proxy without an end', () => {
    const endless: object = new Proxy(
      {},
      {
        get: () => endless,
        ownKeys: () => ['a'],
        getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }),
      },
    )
    check(TREE, endless, TOO_DEEP)
  })

  it('does not read a long string to learn that it is one', () => {
    const text = 'x'.repeat(10_000_000)
    check({ properties: { s: { type: 'string', minLength: 1 } } }, { s: text }, FITS)
    const [fault] = told({ properties: { s: { type: 'number' } } }, { s: text })
    expect(fault?.got).toContain('10000000 characters')
    expect(fault?.got.length).toBeLessThan(200)
  })

  it('ends a pattern that would run for ever', () => {
    check({ pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`, FAULTY)
    check({ pattern: '^((a|aa|\\2)+)+$' }, `${'a'.repeat(60)}!`, FAULTY)
  })

  it('does not double the work at every level of a recursive schema', () => {
    const node = (k: number) => ({
      properties: { l: { $ref: '#/$defs/e' }, k: { const: k } },
      required: ['k'],
      type: 'object',
    })
    const schema = {
      $ref: '#/$defs/e',
      $defs: { e: { anyOf: [node(1), node(2), { type: 'null' }] } },
    }
    let input: unknown = null
    for (let level = 0; level < 60; level += 1) input = { l: input, k: 2 }
    check(schema, input, FITS)
  })
})

describe('what counts as a member', () => {
  it('sees own properties only', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      check({ required: [name] }, {}, FAULTY, { expected: `property \`${name}\`` })
    }
    class Inherits {
      get x() {
        return 1
      }
    }
    check({ required: ['x'] }, new Inherits(), FAULTY)
    check({ required: ['x'] }, Object.create({ x: 1 }), FAULTY)
  })

  it('sees an own `__proto__`', () => {
    const input: unknown = JSON.parse('{"__proto__":1}')
    check({ required: ['__proto__'] }, input, FITS)
    check({ additionalProperties: false }, input, FAULTY)
    check(JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'), input, FAULTY, {
      path: '/__proto__',
    })
  })

  it('takes undefined, functions and symbols for absent', () => {
    const input = { a: 1, b: undefined, c: () => 1, d: Symbol('d'), [Symbol('e')]: 1 }
    check({ properties: { a: {} }, additionalProperties: false }, input, FITS)
    check({ required: ['b'] }, input, FAULTY)
    check({ maxProperties: 1 }, input, FITS)
  })

  it('takes what is absent from an array for null', () => {
    check({ items: { type: 'number' } }, [1, undefined], FAULTY, { path: '/1', got: 'null' })
    const sparse = [1]
    sparse[2] = 3
    check({ items: { type: ['number', 'null'] } }, sparse, FITS)
  })

  it('finds names with NUL, digits, and characters of every size', () => {
    for (const name of ['a\u0000b', '1', 'é', 'ü🙂', 'k'.repeat(300), 'é'.repeat(126)]) {
      check({ required: [name] }, { [name]: 1 }, FITS)
    }
    check({ required: ['a\u0000b'] }, { a: 1 }, FAULTY)
  })

  it('finds a name among a thousand', () => {
    const input = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]))
    check({ required: ['k999'], properties: { k500: { const: 500 } } }, input, FITS)
  })
})

describe('what is not JSON', () => {
  it('reads a getter once', () => {
    let reads = 0
    const input = {
      get a() {
        reads += 1
        return reads
      },
    }
    const once = { properties: { a: { const: 1 } } }
    expect(validate(tool({ allOf: [once, once] }), input)).toBe(FITS)
    expect(reads).toBe(1)
  })

  it('refuses a property that throws, and does not throw', () => {
    const input = {
      list: [
        {},
        {
          get 'a/b'() {
            throw new Error('no')
          },
        },
      ],
    }
    const schema = { properties: { list: { items: { properties: { 'a/b': {} } } } } }
    check(schema, input, FAULTY, { path: '/list/1/a~1b', expected: 'JSON' })
  })

  it('reads a plain proxy and refuses one that throws', () => {
    const schema = { properties: { a: { type: 'number' } }, required: ['a'] }
    check(schema, new Proxy({ a: 1 }, {}), FITS)
    const throwing = {
      ownKeys(): string[] {
        throw new Error('no')
      },
    }
    check(schema, new Proxy({ a: 1 }, throwing), FAULTY)
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    check(schema, proxy, FAULTY)
  })

  it('bears a getter that validates something else', () => {
    const inner = tool({ properties: { q: { type: 'string' } } })
    const input = {
      get a() {
        return validate(inner, { q: 'x' })
      },
    }
    check({ properties: { a: { const: 0 } } }, input, FITS)
  })

  it('fits no big integer, no NaN and no binary data into any schema', () => {
    check({ properties: { a: {} } }, { a: 1n }, FAULTY, { path: '/a', got: 'a bigint' })
    check({}, NaN, FAULTY)
    check({ type: 'number' }, Infinity, FAULTY)
    check({ type: 'object' }, new Uint8Array(10_000_000), FAULTY, { got: 'binary data' })
  })

  it('takes other objects for what their own properties say', () => {
    check({ type: 'object', maxProperties: 0 }, new Date(), FITS)
    check({ type: 'object', maxProperties: 0 }, new Map([['a', 1]]), FITS)
    check({ required: ['a'] }, Object.assign(Object.create(null), { a: 1 }), FITS)
  })

  it('takes an input that is undefined or a function for null', () => {
    check({ type: 'object' }, undefined, FAULTY, { got: 'null' })
    check({ type: 'object' }, () => 1, FAULTY, { got: 'null' })
  })
})

describe('numbers and texts', () => {
  it('takes numbers for what they are, however they are written', () => {
    check({ type: 'integer' }, 2 ** 53 + 2, FITS)
    check({ const: 2 ** 53 }, 2 ** 53, FITS)
    check({ enum: [1, 2.5] }, 2.5, FITS)
    check({ type: 'integer' }, 1e300, FITS)
    check({ type: 'integer' }, 1.5, FAULTY, { expected: 'an integer', got: '1.5' })
    check({ type: 'integer', minimum: 0 }, -0, FITS)
    check({ multipleOf: 0.01 }, 1.01, FITS)
  })

  it('counts characters, not units', () => {
    check({ minLength: 2, maxLength: 2 }, '😀😀', FITS)
    check({ maxLength: 2 }, '😀😀😀', FAULTY)
  })

  it('reads a lone surrogate as the replacement character', () => {
    check({ type: 'string', maxLength: 1, pattern: '^\\uFFFD$' }, '\ud800', FITS)
  })

  it('reads texts of every length around its buffer', () => {
    for (let length = 80; length < 260; length += 1) {
      for (const text of ['x'.repeat(length), '€'.repeat(length), '😀'.repeat(length)]) {
        expect(validate(tool({ const: text }), text)).toBe(FITS)
      }
    }
  })

  it('leaks no handles', () => {
    const probe = tool({ items: { properties: { a: { type: 'number' } } } })
    const input = Array.from({ length: 100 }, (_, a) => ({ a }))
    for (let round = 0; round < 200; round += 1) validate(probe, input)
    const before = process.memoryUsage().rss
    for (let round = 0; round < 2_000; round += 1) validate(probe, input)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })
})

describe('schemas', () => {
  it('refuses references that leave the document', () => {
    expect(() => tool({ $ref: 'https://example.com/a.json' })).toThrow(/leads out of the schema/)
  })

  it('refuses references in circles and takes recursion', () => {
    expect(() => tool({ $ref: '#' })).toThrow(/refers back to itself/)
    check({ items: { $ref: '#' } }, [[[]]], FITS)
  })

  it('refuses drafts that it does not know', () => {
    expect(() => tool({ $schema: 'http://json-schema.org/draft-04/schema#' })).toThrow(/draft/)
  })

  it('refuses a schema of a hundred thousand levels', () => {
    const text = `${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}`
    const definition = `{"name":"a","source":"t","isEffectDeclared":false,"hasOwnParser":false,"inputSchema":${text}}`
    expect(() => compileTool(definition)).toThrow(/recursion limit/)
  })
})
