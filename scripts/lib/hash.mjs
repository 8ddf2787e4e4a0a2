// One hash over the content of files, so that a step runs again only when its sources changed.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/** Every file under `paths` (relative to the repository), sorted; paths that do not exist are left out. */
export function filesUnder(paths, accept = () => true) {
  const found = []
  const visit = (path) => {
    const full = join(root, path)
    if (!existsSync(full)) return
    if (!statSync(full).isDirectory()) {
      if (accept(path)) found.push(path)
      return
    }
    for (const name of readdirSync(full)) visit(`${path}/${name}`)
  }
  paths.forEach(visit)
  return found.sort()
}

/** A hash of the names and contents of every file under `paths`. */
export function hashOf(paths, accept) {
  const hash = createHash('sha256')
  for (const path of filesUnder(paths, accept)) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path))).update('\0')
  }
  return hash.digest('hex')
}
