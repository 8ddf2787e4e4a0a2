// Finds the addon: the local build beside this file in a checkout, else the package of this platform.
//
// A platform without an addon must not break `import 'toolgate'` (bundlers and type checkers import
// it too), so a failure is told by the first native call: an error of code NATIVE_MISSING that says
// what was tried and what to do. Nothing is decided without the addon, so nothing runs.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const LOCAL = new URL('./toolgate.node', import.meta.url)

/**
 * The addon's functions by name; each throws NATIVE_MISSING if there is no addon.
 *
 * @param {readonly string[]} names
 */
export function load(names, { local = LOCAL, platform = process.platform, arch = process.arch } = {}) {
  const packageName = packageFor(platform, arch)
  const localPath = fileURLToPath(local)
  let tried = localPath
  let { addon, error } = attempt(localPath)
  // Looking first whether the file is there would load `node:fs`, which takes longer than the addon.
  const isLocal = !(error?.code === 'MODULE_NOT_FOUND' && error.message.includes(localPath))
  if (!isLocal) {
    tried = packageName
    ;({ addon, error } = attempt(packageName))
  }
  const absent = addon === undefined ? undefined : names.find((name) => typeof addon[name] !== 'function')
  if (addon !== undefined && absent === undefined) return addon
  const reason =
    absent === undefined
      ? String(error instanceof Error ? error.message : error).split('\n')[0]
      : `it is of another version (it has no \`${absent}\`)`
  const message = JSON.stringify({
    code: 'NATIVE_MISSING',
    message: `the native addon for ${describe(platform, arch)} does not load from \`${tried}\`: ${reason}`,
    help: help(isLocal, packageName, platform),
  })
  const fail = () => {
    throw new Error(message)
  }
  return Object.fromEntries(names.map((name) => [name, fail]))
}

function attempt(path) {
  try {
    return { addon: require(path) }
  } catch (error) {
    return { error }
  }
}

function packageFor(platform, arch) {
  const suffix = platform === 'linux' ? '-gnu' : platform === 'win32' ? '-msvc' : ''
  return `@toolgate/node-${platform}-${arch}${suffix}`
}

function describe(platform, arch) {
  return platform === 'linux' && isMusl() ? `linux ${arch} with musl` : `${platform} ${arch}`
}

function help(isLocal, packageName, platform) {
  if (isLocal) return 'build it again: `npm run build`'
  if (platform === 'linux' && isMusl()) {
    return 'there is no addon for musl; use an image with glibc, such as node:22-slim instead of node:22-alpine'
  }
  return (
    `install \`toolgate\` again with optional dependencies (no \`--omit=optional\`, and a lock file ` +
    `that was made on another platform needs \`npm install ${packageName}\`); in a checkout of toolgate run \`npm run build\``
  )
}

function isMusl() {
  // Only a process on glibc reports its version.
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined
}
