// Copies a tool so that nothing of it is lost. It stands apart because a spread drops what is not
// enumerable (the AI SDK 7 keeps a tool's caller there) and freezes getters, while a copy by
// descriptors costs too much to do for a thousand tools at every request: the ordinary tool, all
// plain fields, is recognized once and spread.

import type { ToolLike } from './options.ts'

/** Makes copies of one tool with some of its properties replaced. */
export type Wrapper = (replaced: object) => ToolLike

/** A wrapper of `tool`; `inputSchema` replaces the tool's own when given. */
export function wrapperOf(tool: ToolLike, inputSchema: object | undefined): Wrapper {
  const descriptors: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(tool)
  const prototype: unknown = Object.getPrototypeOf(tool)
  const schema = inputSchema === undefined ? {} : { inputSchema }
  if (prototype === Object.prototype && Reflect.ownKeys(descriptors).every((key) => isPlain(descriptors[key]))) {
    const fields = { ...tool, ...schema }
    return (replaced) => ({ ...fields, ...replaced })
  }
  return (replaced) => {
    const changed = { ...descriptors }
    for (const [key, value] of Object.entries({ ...schema, ...replaced })) {
      const enumerable = descriptors[key]?.enumerable ?? true
      changed[key] = { value, enumerable, writable: true, configurable: true }
    }
    const copy: ToolLike = Object.create(asPrototype(prototype), changed)
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
