// One cold start, for `benchmarks/cold.mjs`: load, compile, first validation of each of COUNT tools in
// a process that has done nothing before. Prints `{ ms, loadMs, compileMs, firstMs, cpuMs, rssMb }`.
//
//   node bench/cold-start.mjs addon|package|ajv|zod COUNT
import { createRequire } from 'node:module'

import { generateTools, sdkTools } from './tools.mjs'

const require = createRequire(import.meta.url)

/** Each loads its library, then compiles, then validates; it says whether all inputs fit. */
const variants = {
  async addon(tools, mark) {
    const { compileTool, validate } = require('../native/toolgate.node')
    mark('load')
    const handles = tools.map(({ name, description, inputSchema }) =>
      compileTool(JSON.stringify({ name, source: `tools.${name}`, description, effect: 'read', isEffectDeclared: true, inputSchema })),
    )
    mark('compile')
    return tools.every(({ input }, at) => validate(handles[at], input) === 0)
  },

  async package(tools, mark) {
    const { createToolgate } = await import('../dist/index.js')
    mark('load')
    const toolgate = await createToolgate({
      tools: sdkTools(tools),
      declare: { '*': { effect: 'read' } },
      config: { permission: 'allow' },
    })
    const table = await toolgate.table({ session: 'bench' })
    mark('compile')
    // What the AI SDK does with a call before it executes it.
    return tools.every(({ name, input }) => table.tools[name].inputSchema.validate(input).success)
  },

  async ajv(tools, mark) {
    const { Ajv } = await import('ajv')
    mark('load')
    const ajv = new Ajv()
    const validators = tools.map(({ inputSchema }) => ajv.compile(inputSchema))
    mark('compile')
    return tools.every(({ input }, at) => validators[at](input))
  },

  async zod(tools, mark) {
    const { fromJSONSchema } = await import('zod')
    mark('load')
    const schemas = tools.map(({ inputSchema }) => fromJSONSchema(inputSchema))
    mark('compile')
    return tools.every(({ input }, at) => schemas[at].safeParse(input).success)
  },
}

const [variant, count] = process.argv.slice(2)
const tools = generateTools(Number(count))
const rssBefore = process.memoryUsage.rss()
const cpuBefore = process.cpuUsage()
const times = {}
let last = performance.now()
const started = last
const fits = await variants[variant](tools, (step) => {
  const now = performance.now()
  times[`${step}Ms`] = now - last
  last = now
})
const ended = performance.now()
const { user, system } = process.cpuUsage(cpuBefore)
if (!fits) throw new Error(`${variant}: an input does not fit`)
const rssMb = (process.memoryUsage.rss() - rssBefore) / 2 ** 20
console.log(JSON.stringify({ ms: ended - started, ...times, firstMs: ended - last, cpuMs: (user + system) / 1000, rssMb }))
