// Reads the configuration, and reads a changed file again. It stands apart because a table is a
// snapshot: the file is looked at when a table is built, never in between, and an edit that does
// not parse refuses new tables while running ones go on.

import type { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'

import { checkJson } from './check.ts'
import { ToolgateError } from './errors.ts'
import { messageOf } from './envelope.ts'
import { parseConfig, type ConfigHandle } from './native.ts'

/** Gives the configuration as it is now: the same handle as long as nothing changed. */
export type ConfigSource = () => ConfigHandle

/** What a configuration file is read with. */
interface FileSystem {
  readonly readFileSync: typeof readFileSync
  readonly statSync: typeof statSync
}

/** Opens `config`: a path, an object, or `false`. The first read happens here and may throw. */
export async function openConfig(config: string | object | false, mayReload: boolean): Promise<ConfigSource> {
  if (typeof config !== 'string') {
    const handle = parseConfig(inlineText(config), 'config', true, homedir())
    return () => handle
  }
  // Only here, because loading it takes as long as the rest of this package.
  const read = fileSource(await import('node:fs'), resolve(config))
  const first = read()
  return mayReload ? read : () => first
}

function inlineText(config: object | false): string {
  if (config === false) return '{}'
  checkJson(config, 'config', 'CONFIG_INVALID')
  return JSON.stringify(config)
}

function fileSource(fs: FileSystem, path: string): ConfigSource {
  let stamp: string | undefined
  let text: string | undefined
  let handle: ConfigHandle | undefined
  return () => {
    const { now, read } = look(fs, path)
    if (handle !== undefined && stamp === now) return handle
    const fresh = read()
    // Touched but not changed: an editor saved the same text.
    if (handle === undefined || fresh !== text) {
      // Forgotten before the attempt, so that a broken edit is an error at every table until fixed.
      handle = undefined
      text = fresh
      handle = parseConfig(fresh, path, true, homedir())
    }
    stamp = now
    return handle
  }
}

/** A quick look at the file (size, times in nanoseconds), and a way to read it. */
function look({ readFileSync, statSync }: FileSystem, path: string): { now: string; read: () => string } {
  const { mtimeNs, ctimeNs, size, ino } = orUnreadable(path, () => statSync(path, { bigint: true }))
  return {
    now: `${mtimeNs} ${ctimeNs} ${size} ${ino}`,
    read: () => orUnreadable(path, () => readFileSync(path, 'utf8')),
  }
}

function orUnreadable<RESULT>(path: string, attempt: () => RESULT): RESULT {
  try {
    return attempt()
  } catch (thrown) {
    throw new ToolgateError({
      code: 'CONFIG_INVALID',
      message: `the configuration file \`${path}\` cannot be read: ${messageOf(thrown)}`,
      help: 'create it, correct the path, or pass `config: false`',
      cause: thrown,
    })
  }
}
