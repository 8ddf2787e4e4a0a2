import { defineConfig } from 'vitest/config'

// TOOLGATE_SDK picks the AI SDK major: 6 is installed as `ai`, 7 as the alias `ai7` (needs Node 22).
const sdk = process.env['TOOLGATE_SDK'] ?? '6'
if (sdk !== '6' && sdk !== '7') throw new Error(`TOOLGATE_SDK is \`${sdk}\`; it is 6 or 7`)

const sdk7 = [
  { find: /^ai(\/.*)?$/, replacement: 'ai7$1' },
  { find: /^@ai-sdk\/openai-compatible$/, replacement: 'openai-compatible7' },
]

export default defineConfig({
  resolve: { alias: sdk === '7' ? sdk7 : [] },
  test: {
    include: ['__test__/**/*.spec.{ts,mjs}'],
    env: { TOOLGATE_SDK: sdk },
    // The addon is loaded by Node itself, as it is for a user.
    server: { deps: { external: [/\/native\//] } },
    // A test that says nothing has not shown anything.
    passWithNoTests: false,
    testTimeout: 20_000,
  },
})
