// Generated tools with JSON Schemas as MCP servers send them, all different, and an input that fits
// each: three to seven properties, half of them nested up to two levels, two kilobytes of JSON on
// average. A regular expression is rare there (one property in thirty has one).
import { drawFrom } from './random.mjs'
import { toolNames } from './rule-sets.mjs'

/** `count` tools: `{ name, description, inputSchema, input }`. */
export function generateTools(count) {
  const draw = drawFrom(7)
  return toolNames(count).map((name, at) => {
    const { schema, value } = objectOf(draw, at, 2)
    return { name, description: `Does what ${name} says, in project ${at}.`, inputSchema: schema, input: value }
  })
}

function objectOf(draw, at, depth) {
  const properties = {}
  const value = {}
  const required = []
  for (let field = 0; field < 3 + draw.below(5); field += 1) {
    const name = `${draw.pick(['path', 'query', 'limit', 'owner', 'state', 'labels', 'range', 'note'])}_${field}`
    const made = propertyOf(draw, at, depth)
    properties[name] = { description: `The ${name} of tool ${at}.`, ...made.schema }
    value[name] = made.value
    if (draw.chance(0.6)) required.push(name)
  }
  return { schema: { type: 'object', properties, required, additionalProperties: false }, value }
}

function propertyOf(draw, at, depth) {
  switch (draw.below(depth > 0 ? 8 : 5)) {
    case 0:
      return { schema: { type: 'string', minLength: 1, maxLength: 200 + at }, value: `src/module-${at}.ts` }
    case 1:
      return { schema: { type: 'integer', minimum: 0, maximum: 1000 + at }, value: draw.below(1000) }
    case 2:
      return { schema: { type: 'boolean' }, value: draw.chance(0.5) }
    case 3:
      return { schema: { type: 'string', enum: ['open', 'closed', `state-${at}`] }, value: 'closed' }
    case 4:
      return draw.chance(0.2)
        ? { schema: { type: 'string', pattern: `^[a-z]+-${at}$` }, value: `issue-${at}` }
        : { schema: { type: 'number', exclusiveMinimum: -at - 1 }, value: 0.5 }
    case 5:
      return { schema: { type: 'array', items: { type: 'string' }, maxItems: 10 + at }, value: ['bug', 'ui'] }
    case 6: {
      const inner = objectOf(draw, at, depth - 1)
      return { schema: { type: 'array', items: inner.schema, minItems: 1 }, value: [inner.value] }
    }
    default:
      return objectOf(draw, at, depth - 1)
  }
}

/**
 * The tools as an application passes them to the AI SDK. A schema as `jsonSchema()` makes it, built
 * here so that loading the AI SDK does not count for anybody.
 */
export function sdkTools(tools) {
  const entries = tools.map(({ name, description, inputSchema }) => [name, sdkTool(description, inputSchema)])
  return Object.fromEntries(entries)
}

/** One such tool. */
export function sdkTool(description, jsonSchema, execute = async () => 'done') {
  return {
    description,
    inputSchema: { [Symbol.for('vercel.ai.schema')]: true, [Symbol.for('vercel.ai.validator')]: true, jsonSchema },
    execute,
  }
}
