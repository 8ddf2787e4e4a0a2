// `npm run test:cases`: every case file of the folder named by TOOLGATE_CASES (default `fixtures/cases`).
import { run } from './lib/run.mjs'
import { fromRoot } from './lib/root.mjs'
import { setup } from './setup.mjs'

await setup()
const { code } = await run(process.execPath, ['--import', 'tsx', fromRoot('__test__/cases/run.ts'), ...process.argv.slice(2)], {
  env: { ...process.env, TOOLGATE_CASES: process.env.TOOLGATE_CASES ?? fromRoot('fixtures/cases') },
})
process.exitCode = code
