// The directory that the agent works on. It stands apart from the tools because a rule is only as
// good as the name it is asked about: here `./a/../.env`, an absolute path and a link that leads to
// `.env` all become names that a rule can match.
//
// INVARIANT: nothing in the directory is ever written, whatever the rules say. This is an example
// that invites to edit its rules; one slip in them must not cost a file. Notes go to a fresh folder,
// and a deleted file is only gone for the agent.

import { mkdtempSync, realpathSync, rmdirSync } from 'node:fs'
import { open, opendir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The name by which the agent sees the fresh folder. */
const scratchName = '@scratch'

/** Folders that hold what programs produced, not what people wrote. */
const skippedFolders: ReadonlySet<string> = new Set(['node_modules', 'target', 'dist', 'build'])

const maxFiles = 2_000
const maxEntriesPerFolder = 1_000

export interface Workspace {
  readonly root: string
  readonly scratch: string
  /** The names that the rules must agree on: the file, and what it is a link to. */
  resources(name: string): string[]
  /** The files people wrote, in a stable order: bounded, hidden names and links left out. */
  files(): AsyncGenerator<string>
  /** The start of a file as text, at most `maxBytes` of it. */
  read(name: string, maxBytes: number): Promise<{ text: string; isWhole: boolean }>
  /** Deletes a file of the agent's own; one of the directory is only gone for the agent. */
  remove(name: string): Promise<void>
  /** Removes the fresh folder if the agent left nothing in it, and says whether it did. */
  close(): boolean
}

/** What was named is not a directory, or not one to read. */
export class DirectoryError extends Error {}

/** Opens `directory`; throws a `DirectoryError` when it cannot be read. */
export async function openWorkspace(directory: string): Promise<Workspace> {
  const root = await rootOf(directory)
  const scratch = realpathSync.native(mkdtempSync(join(tmpdir(), 'toolgate-agent-')))
  const removed = new Set<string>()

  const locate = (name: string): string => {
    const [first, ...rest] = name.split('/')
    return first === scratchName ? resolve(scratch, ...rest) : resolve(root, name)
  }

  const existing = async (name: string) => {
    const file = locate(name)
    const found = removed.has(file) ? undefined : await stat(file).catch(() => undefined)
    if (found === undefined) throw new Error(`there is no file \`${name}\``)
    // A pipe would wait for its writer, a device would never end.
    if (!found.isFile()) throw new Error(`\`${name}\` is not a file`)
    return { file, size: found.size }
  }

  return {
    root,
    scratch,

    resources(name) {
      const file = locate(name)
      return [...new Set([file, linkTarget(file)].map((path) => nameOf(path, root, scratch)))]
    },

    async *files() {
      for await (const name of walk(root)) if (!removed.has(locate(name))) yield name
    },

    async read(name, maxBytes) {
      const { file, size } = await existing(name)
      const bytes = await readBytes(file, Math.min(size, maxBytes))
      if (bytes.includes(0)) throw new Error(`\`${name}\` is binary`)
      const isWhole = size <= maxBytes
      // `stream` leaves out a character that the limit cut in two.
      return { text: new TextDecoder().decode(bytes, { stream: !isWhole }), isWhole }
    },

    async remove(name) {
      const { file } = await existing(name)
      if (isInside(relative(scratch, file))) await rm(file)
      else removed.add(file)
    },

    close() {
      try {
        rmdirSync(scratch)
        return true
      } catch {
        return false // Not empty: the notes in it are the person's.
      }
    },
  }
}

async function rootOf(directory: string): Promise<string> {
  try {
    const root = realpathSync.native(resolve(directory))
    await (await opendir(root)).close()
    return root
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DirectoryError(`\`${directory}\` is not a directory that can be read: ${reason}`)
  }
}

/** The one name of a file that rules are written for. */
function nameOf(file: string, root: string, scratch: string): string {
  const inScratch = relative(scratch, file)
  if (isInside(inScratch)) return inScratch === '' ? scratchName : `${scratchName}/${slashes(inScratch)}`
  const inRoot = relative(root, file)
  if (isInside(inRoot)) return inRoot === '' ? '.' : slashes(inRoot)
  // One form for everything outside, so that the rule `../*` covers it on every system.
  return `../${slashes(file).replace(/^\/+/, '')}`
}

function linkTarget(file: string): string {
  try {
    return realpathSync.native(file)
  } catch {
    return file // There is no such file: nothing that a link could hide.
  }
}

async function readBytes(file: string, length: number): Promise<Uint8Array> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(new Uint8Array(length))
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Breadth first, so that a bound reached early still shows the top of the tree. */
async function* walk(root: string): AsyncGenerator<string> {
  const folders = ['']
  let found = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of await list(join(root, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) folders.push(name)
      if (!entry.isFile()) continue
      yield name
      found += 1
      if (found === maxFiles) return
    }
  }
}

async function list(folder: string) {
  const entries = []
  try {
    for await (const entry of await opendir(folder)) {
      if (!entry.name.startsWith('.')) entries.push(entry)
      if (entries.length === maxEntriesPerFolder) break
    }
  } catch {
    return [] // A folder that may not be read holds nothing for the agent.
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1))
}

function isInside(relativePath: string): boolean {
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

function slashes(path: string): string {
  return path.split(sep).join('/')
}
