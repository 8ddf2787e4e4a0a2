// Packs what is published: the main package, and the package of this platform with its addon.
//
//   node scripts/pack.mjs FOLDER
//
// The addon is built with the `dist` profile: smaller, and slower to build. The main package of the
// repository is private and names no platform package: they are not on the registry while they are
// built, and an install would ask for them. They are added here.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fromRoot } from './lib/root.mjs'
import { must } from './lib/run.mjs'
import { setup } from './setup.mjs'

/** Writes the two tarballs into `folder` and returns their paths. The build must be fresh. */
export async function pack(folder) {
  const staging = mkdtempSync(join(tmpdir(), 'toolgate-pack-'))
  try {
    const main = await packFolder(stageMain(join(staging, 'main')), folder)
    const platform = await packFolder(stagePlatform(join(staging, 'platform')), folder)
    return { main, platform }
  } finally {
    rmSync(staging, { recursive: true })
  }
}

function stageMain(folder) {
  const { private: _private, scripts: _scripts, devDependencies: _development, ...manifest } = readManifest('package.json')
  for (const file of [...manifest.files, 'README.md']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(fromRoot(file), join(folder, file))
  }
  manifest.optionalDependencies = Object.fromEntries(
    readdirSync(fromRoot('npm'))
      .sort()
      .map((name) => readManifest(`npm/${name}/package.json`))
      .map(({ name, version }) => [name, version]),
  )
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return folder
}

function stagePlatform(folder) {
  const name = readdirSync(fromRoot('npm')).find((name) => {
    const { os, cpu } = readManifest(`npm/${name}/package.json`)
    return os.includes(process.platform) && cpu.includes(process.arch)
  })
  if (name === undefined) throw new Error(`npm/ has no folder for ${process.platform} ${process.arch}`)
  cpSync(fromRoot(`npm/${name}`), folder, { recursive: true })
  cpSync(fromRoot('native/toolgate.node'), join(folder, 'toolgate.node'))
  for (const file of ['LICENSE', 'LICENSE-APACHE', 'LICENSE-MIT']) cpSync(fromRoot(file), join(folder, file))
  return folder
}

async function packFolder(folder, destination) {
  const args = ['pack', '--json', '--loglevel=error', '--pack-destination', destination]
  const output = await must('npm', args, { cwd: folder, keep: 'stdout' })
  return join(destination, JSON.parse(output)[0].filename)
}

function readManifest(path) {
  return JSON.parse(readFileSync(fromRoot(path), 'utf8'))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = resolve(process.argv[2] ?? '.')
  mkdirSync(folder, { recursive: true })
  await setup({ profile: 'dist' })
  const { main, platform } = await pack(folder)
  console.log(`${main}\n${platform}`)
}
