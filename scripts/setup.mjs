// Makes a checkout ready: npm packages, the native addon and `dist/`, each only when it is stale.
//
//   node scripts/setup.mjs [--dev] [--force]
//
// `--dev` takes an addon that is not optimized: it shares its dependencies with `cargo test` and
// builds in seconds after a change. `--force` builds the addon and `dist/` even if nothing changed.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { readExports, renderBinding } from './lib/binding.mjs'
import { hashOf } from './lib/hash.mjs'
import { fromRoot } from './lib/root.mjs'
import { must, seconds } from './lib/run.mjs'

const ADDON = fromRoot('native/toolgate.node')
const NATIVE_STAMP = fromRoot('native/.stamp')
const DIST_STAMP = fromRoot('dist/.stamp')

/** cargo's profiles for the addon: an inner loop, a checkout, and what is published. A later one serves for an earlier one too. */
const PROFILES = ['dev', 'release', 'dist']

/** Everything that `npm start` and `npm test` need. Says what it does; silent if nothing is stale. */
export async function setup(options = {}) {
  await install()
  await buildNative(options)
  await buildDist(options)
}

/** `npm ci`, unless every package of the lock file is there in its version. */
export async function install() {
  if (isInstalled()) return
  await timed('npm packages', () => must('npm', ['ci', '--loglevel=error', '--no-fund', '--no-audit'], { label: 'npm ci' }))
}

function isInstalled() {
  const inner = fromRoot('node_modules/.package-lock.json')
  if (!existsSync(inner)) return false
  const { packages: wanted } = readJson(fromRoot('package-lock.json'))
  const { packages: found } = readJson(inner)
  const manifest = readJson(fromRoot('package.json'))
  const asLocked = (field) => isDeepStrictEqual(manifest[field] ?? {}, wanted[''][field] ?? {})
  return (
    asLocked('devDependencies') &&
    asLocked('dependencies') &&
    Object.entries(wanted).every(
      ([path, { version, optional }]) => path === '' || optional === true || found[path]?.version === version,
    )
  )
}

/** cargo, then `native/toolgate.node`, `native/binding.js` and `native/binding.d.ts`. */
export async function buildNative({ profile = 'release', isForced = false } = {}) {
  const sources = hashOf(['Cargo.toml', 'Cargo.lock', 'crates', 'scripts/lib/binding.mjs'], (path) =>
    /(\.rs|\.toml|\.lock|\.mjs)$|\/src\//.test(path) && !/\/(tests|benches|examples)\//.test(path),
  )
  const stamp = (profile) => `${profile} ${process.platform} ${process.arch} ${sources}\n`
  const isFresh = (built) => PROFILES.slice(PROFILES.indexOf(profile)).some((profile) => built === stamp(profile))
  if (!isForced && existsSync(ADDON) && existsSync(NATIVE_STAMP) && isFresh(readFileSync(NATIVE_STAMP, 'utf8'))) return

  await timed(`native addon (profile ${profile}; a first build takes minutes)`, async () => {
    const types = fromRoot(`native/.types/${profile}`)
    mkdirSync(types, { recursive: true })
    const args = ['build', '--locked', '-p', 'toolgate-node', '--profile', profile]
    const output = await must('cargo', [...args, '--message-format=json-render-diagnostics'], {
      env: { ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: types },
      keep: 'stdout',
      label: 'cargo build',
    })
    const binding = renderBinding(readExports(`${types}/toolgate-node`))
    writeFileSync(fromRoot('native/binding.js'), binding.code)
    writeFileSync(fromRoot('native/binding.d.ts'), binding.types)
    // A running process may have the old addon mapped: put the new one beside it, then swap.
    copyFileSync(libraryOf(output), `${ADDON}.new`)
    renameSync(`${ADDON}.new`, ADDON)
    writeFileSync(NATIVE_STAMP, stamp(profile))
  })
}

/** The file that cargo says it built. */
function libraryOf(output) {
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) continue
    const message = JSON.parse(line)
    if (message.reason !== 'compiler-artifact' || message.target.name !== 'toolgate_node') continue
    const library = message.filenames.find((file) => /\.(so|dylib|dll)$/.test(file))
    if (library !== undefined) return library
  }
  throw new Error('cargo built no library for toolgate-node')
}

/** `dist/index.js` and the rolled-up `dist/index.d.ts`. */
export async function buildDist({ isForced = false } = {}) {
  if (!existsSync(fromRoot('ts/index.ts'))) return
  const sources = `${hashOf(['ts', 'tsdown.config.ts', 'tsconfig.json', 'package-lock.json', 'package.json'])}\n`
  if (!isForced && existsSync(DIST_STAMP) && readFileSync(DIST_STAMP, 'utf8') === sources) return
  await timed('dist', async () => {
    await must(process.execPath, [fromRoot('node_modules/tsdown/dist/run.mjs')], { isQuiet: true })
    writeFileSync(DIST_STAMP, sources)
  })
}

async function timed(what, work) {
  const started = Date.now()
  console.error(`setup: ${what} …`)
  await work()
  console.error(`setup: ${what} done in ${seconds(started)}`)
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const has = (option) => process.argv.includes(option)
    await setup({ profile: has('--dev') ? 'dev' : 'release', isForced: has('--force') })
  } catch (error) {
    console.error(`setup: ${error.message}`)
    process.exitCode = 1
  }
}
