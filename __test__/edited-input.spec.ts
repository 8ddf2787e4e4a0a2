// Inputs that a person changed, where the schema changes them too.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { quiet } from './support/gate.ts'

/** What runs and what comes back when a person puts `edited` in the place of `input`. */
async function edit(amount: z.ZodType, input: unknown, edited: unknown) {
  const paid: unknown[] = []
  const pay = { inputSchema: z.object({ amount }), execute: (given: unknown) => void paid.push(given) }
  const toolgate = await quiet({
    tools: { pay },
    declare: { pay: { effect: 'external-write' } },
    ask: () => ({ decision: 'edit', input: { amount: edited } }),
  })
  const table = await toolgate.table({ session: 's', turn: 't' })
  return { result: await table.call('pay', { amount: input }), paid }
}

const refused = {
  error: { code: 'APPROVAL_REJECTED', message: expect.stringContaining('transforms what it reads') },
}

describe('an edited input', () => {
  it.each([[1], [0]])('is refused when the schema would transform it again (from %i)', async (input) => {
    const inCents = z.number().transform((euros) => euros * 100)
    expect(await edit(inCents, input, 2)).toMatchObject({ result: refused, paid: [] })
  })

  it('is refused when the schema cannot read what it made', async () => {
    const numbers = z.union([z.string().transform(Number), z.literal(7)])
    expect(await edit(numbers, '1', 7)).toMatchObject({ result: refused, paid: [] })
  })

  it('runs when the schema only tidies what it reads', async () => {
    const tidy = z.string().trim()
    expect(await edit(tidy, ' a ', ' b ')).toMatchObject({ result: { ok: true }, paid: [{ amount: 'b' }] })
  })
})
