// One set of tools, two roles: a guest may look up any order but a secret one, and does not even
// see the tool that pays money back. No model is needed to show it: `table.call` is the same path.

import assert from 'node:assert/strict'
import { createToolgate, defineTool, memoryStore } from 'toolgate'
import { z } from 'zod'

const orders = new Map([['4711', 30], ['secret-1', 99]])

const toolgate = await createToolgate({
  store: memoryStore(),
  config: {
    permission: { lookup: { '*': 'allow', 'secret-*': 'deny' }, refund: 'ask' },
    roles: { guest: { permission: { refund: 'deny' } }, support: {} },
  },
  tools: {
    lookup: defineTool({
      description: 'What an order costs.',
      inputSchema: z.object({ orderId: z.string() }),
      effect: 'read',
      permission: { pattern: '/orderId' },
      execute: ({ orderId }) => orders.get(orderId) ?? 'no such order',
    }),
    refund: defineTool({
      description: 'Pay an order back.',
      inputSchema: z.object({ orderId: z.string() }),
      effect: 'external-write',
      permission: { pattern: '/orderId' },
      execute: ({ orderId }) => orders.delete(orderId),
    }),
  },
})

const guest = await toolgate.table({ role: 'guest' })
assert.deepEqual(Object.keys(guest.tools), ['lookup'])
assert.match(guest.hidden[0]?.reason ?? '', /refund/)

const found = await guest.call('lookup', { orderId: '4711' })
assert.deepEqual(found, { ok: true, output: 30, meta: {} })

for (const [tool, orderId, code] of [
  ['lookup', 'secret-1', 'PERMISSION_DENIED'],
  ['refund', '4711', 'TOOL_UNKNOWN'],
] as const) {
  const refused = await guest.call(tool, { orderId })
  assert(!refused.ok)
  assert.equal(refused.error.code, code)
}
assert.equal(orders.size, 2)

// Support sees the tool; without anybody to ask, a payment does not happen.
const support = await toolgate.table({ role: 'support', session: 'one' })
assert.deepEqual(Object.keys(support.tools), ['lookup', 'refund'])
const unasked = await support.call('refund', { orderId: '4711' })
assert(!unasked.ok)
assert.equal(unasked.error.code, 'APPROVAL_REQUIRED')
assert.equal(orders.size, 2)
console.log('read-only-agent: the guest read one order and changed nothing')
