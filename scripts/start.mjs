// `npm start [-- DIRECTORY]`: set-up if something is stale, then the example agent.
import { spawn } from 'node:child_process'
import { setup } from './setup.mjs'
import { fromRoot } from './lib/root.mjs'

try {
  await setup()
} catch (error) {
  console.error(`setup: ${error.message}`)
  process.exit(1)
}
const agent = spawn(process.execPath, ['--import', 'tsx', fromRoot('examples/agent/main.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
})
// The terminal sends ^C to both; the agent decides what it means.
process.on('SIGINT', () => {})
agent.once('close', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128)
})
