// Copies a tool so that nothing of it is lost. It stands apart because a spread drops what is not
// enumerable (the AI SDK 7 keeps a tool's caller there) and freezes getters, while a copy by
// descriptors costs too much to do for a thousand tools at every request: plain fields are told
// from odd ones once, and only the odd ones are defined one by one.

import type { ToolLike } from './options.ts'

/** Makes copies of one tool with some of its properties replaced. */
export type Wrapper = (replaced: object) => ToolLike

/** A wrapper of `tool`; `inputSchema` replaces the tool's own when given. */
export function wrapperOf(tool: ToolLike, inputSchema: object | undefined): Wrapper {
  const descriptors: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(tool)
  const schema = inputSchema === undefined ? {} : { inputSchema }
  const prototype: unknown = Object.getPrototypeOf(tool)
  if (prototype !== Object.prototype) return byDescriptors(asPrototype(prototype), descriptors, schema)
  const odd = Reflect.ownKeys(descriptors).filter((key) => !isPlain(descriptors[key]))
  const fields: Record<PropertyKey, unknown> = { ...tool, ...schema }
  for (const key of odd) if (!Object.hasOwn(schema, key)) delete fields[key]
  return (replaced) => {
    const copy = { inputSchema: undefined, ...fields, ...replaced }
    for (const key of odd) {
      const descriptor = descriptors[key]
      if (descriptor !== undefined && !Object.hasOwn(replaced, key) && !Object.hasOwn(schema, key)) {
        Object.defineProperty(copy, key, descriptor)
      }
    }
    return copy
  }
}

/** For a tool with a prototype of its own, whose setters an assignment would call. */
function byDescriptors(
  prototype: object | null,
  descriptors: Record<PropertyKey, PropertyDescriptor>,
  schema: object,
): Wrapper {
  return (replaced) => {
    const changed = { ...descriptors }
    for (const [key, value] of Object.entries({ ...schema, ...replaced })) {
      const enumerable = descriptors[key]?.enumerable ?? true
      changed[key] = { value, enumerable, writable: true, configurable: true }
    }
    const copy: ToolLike = Object.create(prototype, changed)
    return copy
  }
}

function isPlain(descriptor: PropertyDescriptor | undefined): boolean {
  return (
    descriptor !== undefined &&
    'value' in descriptor &&
    descriptor.enumerable === true &&
    descriptor.writable === true &&
    descriptor.configurable === true
  )
}

function asPrototype(value: unknown): object | null {
  return typeof value === 'object' ? value : null
}
