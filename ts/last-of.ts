// Waits for what a tool gives, whatever form it has. It stands apart because a tool may return a
// value, a promise, an async iterable, or a promise of one, and a call without a stream wants the
// last value of each.

/** Whether `value` gives its parts one after the other. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The value that `given` comes to; of an iterable the last part, the way the AI SDK takes it. */
export async function lastOf(given: unknown): Promise<unknown> {
  const value = await given
  if (!isAsyncIterable(value)) return value
  let last: unknown
  for await (last of value);
  return last
}
