// One validation of an input where it is, crossing included, in units of an empty native call.
import { Ajv } from 'ajv'

import * as binding from '#native'

import { perOperation, rotating } from '../measure.mjs'
import { compile } from '../native-table.mjs'

const SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, maxLength: 4096 },
    query: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    mode: { type: 'string', enum: ['exact', 'glob', 'regex'] },
    recursive: { type: 'boolean' },
  },
  required: ['path', 'query'],
  additionalProperties: false,
}

/** Objects of their own, as JSON.parse makes them, of 95 to 100 bytes as JSON. */
const INPUTS = Array.from({ length: 16 }, (_, at) =>
  JSON.parse(
    `{"path":"src/module-${at}/file.ts","query":"function ${'abc'.at(at % 3)}","limit":${at + 1},"mode":"glob","recursive":true}`,
  ),
)

function validate100Bytes() {
  const tool = compile('search', { inputSchema: SCHEMA })
  const byAjv = new Ajv().compile(SCHEMA)
  if (!INPUTS.every((input) => binding.validate(tool, input) === 0 && byAjv(input))) throw new Error('an input does not fit')
  const times = perOperation({
    ours: rotating(INPUTS, (input) => binding.validate(tool, input)),
    empty: rotating(INPUTS, () => binding.probe()),
    ajv: rotating(INPUTS, byAjv),
  })
  const ratio = times.ours / times.empty
  return {
    ours: times.ours,
    peer: times.empty,
    ratio,
    unit: 'us',
    ajvUs: times.ajv,
    peerIs: 'a native call that does nothing; beside it ajv, compiled and warm, which is faster per call',
    inputs: `16 objects of about ${JSON.stringify(INPUTS[0]).length} bytes: ${JSON.stringify(INPUTS[0])}`,
    target: 'ratio <= 50',
    met: ratio <= 50,
  }
}

const NOTE = {
  type: 'object',
  properties: { path: { type: 'string' }, text: { type: 'string', minLength: 1, maxLength: 5_000_000 } },
  required: ['path', 'text'],
  additionalProperties: false,
}

function noteOf(unit, length) {
  // Built from parts and flattened, as text from a network is.
  return JSON.parse(JSON.stringify({ path: 'notes.md', text: unit.repeat(length) }))
}

function validateStringLength() {
  const tool = compile('append_note', { inputSchema: NOTE })
  const inputs = {
    short: noteOf('x', 100),
    long: noteOf('x', 1_000_000),
    longTwoByte: noteOf('ж', 1_000_000),
  }
  for (const input of Object.values(inputs)) if (binding.validate(tool, input) !== 0) throw new Error('an input does not fit')
  const { short, long, longTwoByte, stringify } = perOperation({
    short: () => binding.validate(tool, inputs.short),
    long: () => binding.validate(tool, inputs.long),
    longTwoByte: () => binding.validate(tool, inputs.longTwoByte),
    stringify: () => JSON.stringify(inputs.long),
  })
  const ratio = Math.max(long, longTwoByte) / short
  return {
    ours: Math.max(long, longTwoByte),
    peer: short,
    ratio,
    unit: 'us',
    oneByteUs: long,
    twoByteUs: longTwoByte,
    stringifyUs: stringify,
    peerIs: 'the same validation of a string of 100 characters; beside it what a gate pays that only stringifies the input',
    inputs: '`{ path, text }`, text of 1,000,000 characters, one-byte and two-byte, under `minLength` and `maxLength`',
    target: 'ratio <= 1.5',
    met: ratio <= 1.5,
  }
}

export const benchmarks = {
  'validate-100-bytes': validate100Bytes,
  'validate-string-length': validateStringLength,
}
