// AI SDK 7 needs Node 22, and this package serves Node 20 too: the tests of 7 run on a Node 22 that
// comes from the npm registry as a package, kept beside the other packages.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromRoot } from './root.mjs'
import { run } from './run.mjs'

const VERSION = '22.23.5'
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** @returns {Promise<{ node: string } | { reason: string }>} */
export async function node22() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return { node: process.execPath }
  const platform = `${process.platform}-${process.arch}`
  if (!PLATFORMS.includes(platform)) return { reason: `the npm registry has no Node 22 for ${platform}` }

  const folder = fromRoot(`node_modules/.cache/toolgate/node-${VERSION}`)
  const node = join(folder, `node_modules/node-${platform}/bin/node`)
  if (!existsSync(node)) {
    mkdirSync(folder, { recursive: true })
    // Without a package of its own, npm would install into the repository.
    if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error', `node-${platform}@${VERSION}`]
    const { code, output } = await run('npm', args, { cwd: folder, isQuiet: true })
    if (code !== 0) return { reason: `Node ${VERSION} could not be installed: ${firstError(output)}` }
  }
  const { code, output } = await run(node, ['--version'], { keep: 'stdout' })
  return code === 0 ? { node } : { reason: `Node ${VERSION} does not run here: ${output.trim()}` }
}

function firstError(output) {
  return output.split('\n').find((line) => line.includes('error'))?.trim() ?? 'npm failed'
}
