// `npm run bench [-- --only NAME]`: set-up if something is stale, then one JSON line per benchmark.
import { run } from './lib/run.mjs'
import { fromRoot } from './lib/root.mjs'
import { setup } from './setup.mjs'

await setup()
const { code } = await run(process.execPath, ['--expose-gc', fromRoot('bench/run.mjs'), ...process.argv.slice(2)])
process.exitCode = code
