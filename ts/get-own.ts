// Looks a name up as data. It stands apart because tool names, call ids and object keys come from
// the model or the browser: `tools[name]` would find `constructor` on `Object.prototype`.

/** The own property `name` of `table`, and nothing that it inherits. */
export function getOwn<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Whether `value` is an object that can be read by key. Arrays are; functions are not. */
export function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

/** Whether `value` is a promise, of whatever library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isRecord(value) && typeof value['then'] === 'function'
}

/** The own property `name` of anything; what has no properties has none. */
export function ownProperty(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The text of a property, when it is a text. */
export function ownText(value: unknown, name: string): string | undefined {
  const text = ownProperty(value, name)
  return typeof text === 'string' ? text : undefined
}

/** The list in a property; an empty one when it is no list. */
export function ownList(value: unknown, name: string): readonly unknown[] {
  const list = ownProperty(value, name)
  return Array.isArray(list) ? list : []
}
