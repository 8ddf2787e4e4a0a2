// Writes `native/binding.js` and `native/binding.d.ts` from what napi-derive says about each export.
import { readFileSync } from 'node:fs'

const HEADER = '// Generated from crates/node by scripts/setup.mjs. Change the Rust source instead.\n'

/** Reads napi-derive's type file: one JSON object a line. */
export function readExports(file) {
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The loader with named exports, and its types; a handle is an opaque type that only Rust can make. */
export function renderBinding(exports) {
  const handles = new Set()
  const declarations = exports.map(({ kind, name, def, js_doc: doc = '' }) => {
    if (kind === 'fn') return `${doc}export declare ${withHandles(def, handles)}\n`
    if (kind === 'interface') return `${doc}export interface ${name} {\n${withHandles(def, handles)}\n}\n`
    throw new Error(`export \`${name}\` of crates/node is a ${kind}; the boundary has functions and plain objects only`)
  })
  const brands = [...handles].sort().map((name) => `export interface ${name} { readonly [handle]: '${name}' }\n`)
  const names = exports.filter(({ kind }) => kind === 'fn').map(({ name }) => name)
  return {
    types: `${HEADER}\ndeclare const handle: unique symbol\n${brands.join('')}\n${declarations.join('\n')}`,
    code:
      `${HEADER}import { load } from './load.js'\n\n` +
      `const names = ${JSON.stringify(names, null, 2)}\n\n` +
      `export const {\n${names.map((name) => `  ${name},\n`).join('')}} = load(names)\n`,
  }
}

/** `ExternalObject<Tool>` and `ExternalObject<Tool<Json>>` read as `ToolHandle`. */
function withHandles(def, handles) {
  const named = def.replace(/ExternalObject<(\w+)(?:<\w+>)?>/g, (_, type) => {
    const name = type.endsWith('Handle') ? type : `${type}Handle`
    handles.add(name)
    return name
  })
  if (named.includes('ExternalObject')) throw new Error(`no name for the handle in \`${def}\`; give it a type of its own`)
  return named
}
