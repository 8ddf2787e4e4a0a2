// The rule sets of the benchmarks, by name, in the order in which an operator writes rules. All are
// generated from a seed; a rule is `{ permission, pattern, action }`, and the last match wins.
//
// - `worst`: only rule 0 matches, `*` on `*`. All others speak of the same permission, with patterns
//   (exact commands, and globs that start or continue with a literal) that do not match.
// - `typical`: the same kinds of rules with a catch-all every hundred rules; a quarter of the calls
//   matches a specific rule, half of them one of the last fifty.
// - `leading-star`: like `worst`, but every pattern starts with `*`, so that no literal start helps.
// - `few-name-the-tool`: twenty rules speak of the tool, eight of them with a leading `*`; all others
//   name other tools, a tenth of them by a glob with a leading `*`.
//
// Two more speak of a thousand tools, for what is visible:
//
// - `names-no-tool`: rule 0 is `*`; all others name tools that do not exist.
// - `by-tool`: seven of ten rules name one tool, the others all tools of a server or with an ending.
import { drawFrom } from './random.mjs'

const PROGRAMS = ['git', 'npm', 'docker', 'kubectl', 'cargo', 'gh', 'aws', 'make', 'terraform', 'python3', 'rg', 'curl']
const VERBS = ['push', 'publish', 'rm', 'apply', 'install', 'release', 'delete', 'login', 'exec', 'destroy']
/** Verbs that no rule uses. */
const FREE_VERBS = ['status', 'list', 'show', 'help', 'version', 'describe']
const ACTIONS = ['allow', 'ask', 'deny']
const SEED = 20_20

/** The permission that the calls of `decide` benchmarks ask for. */
export const TOOL = 'bash'

/** @typedef {{ permission: string, pattern: string, action: 'allow' | 'ask' | 'deny' }} Rule */

/** @type {Record<string, (count: number) => { rules: Rule[], calls: string[] }>} */
export const ruleSets = {
  worst(count) {
    const draw = drawFrom(SEED + count)
    return { rules: [catchAll(), ...times(count - 1, (at) => bash(command(draw, at), draw))], calls: freeCalls(draw, 16) }
  },

  typical(count) {
    const draw = drawFrom(SEED + count)
    const rules = [catchAll()]
    for (let at = 1; at < count; at += 1) {
      rules.push(at % 100 === 22 ? bash('*', draw, ['allow', 'ask']) : bash(command(draw, at), draw))
    }
    const named = rules.filter(({ pattern }) => pattern !== '*')
    const specific = times(4, (at) => callFor(draw.pick(at < 2 ? named : named.slice(-50)).pattern))
    return { rules, calls: shuffled(draw, [...freeCalls(draw, 12), ...specific]) }
  },

  'leading-star'(count) {
    const draw = drawFrom(SEED + count)
    return { rules: [catchAll(), ...times(count - 1, (at) => bash(leadingStar(at), draw))], calls: freeCalls(draw, 16) }
  },

  'few-name-the-tool'(count) {
    const draw = drawFrom(SEED)
    const named = times(20, (at) => bash(at < 8 ? leadingStar(at) : command(draw, at), draw))
    const others = times(count - 1 - named.length, (at) => ({
      permission: at % 10 === 0 ? `*_${draw.pick(VERBS)}_${at}` : `${draw.pick(PROGRAMS)}_${draw.pick(VERBS)}_${at}`,
      pattern: draw.chance(0.5) ? '*' : command(draw, at),
      action: draw.pick(ACTIONS),
    }))
    const half = others.length >> 1
    const specific = named.slice(6, 10).map(({ pattern }) => callFor(pattern))
    return {
      rules: [catchAll(), ...others.slice(0, half), ...named, ...others.slice(half)],
      calls: shuffled(draw, [...freeCalls(draw, 12), ...specific]),
    }
  },
}

/** @type {Record<string, (count: number) => Rule[]>} */
export const visibilitySets = {
  'names-no-tool'(count) {
    const draw = drawFrom(SEED + count)
    return [catchAll(), ...times(count - 1, (at) => anyPattern(draw, `absent${at % 40}_${draw.pick(VERBS)}_${at}`, at))]
  },

  'by-tool'(count) {
    const draw = drawFrom(SEED + count)
    const names = toolNames(1000)
    const permissions = new Set()
    while (permissions.size < count - 1) {
      const kind = draw.below(10)
      if (kind < 7) permissions.add(draw.pick(names))
      else if (kind < 9) permissions.add(`server${draw.below(40)}_${draw.pick(VERBS)}_${draw.below(100)}*`)
      else permissions.add(`*_${draw.pick(VERBS)}_${draw.below(1000)}`)
    }
    return [catchAll(), ...[...permissions].map((permission, at) => anyPattern(draw, permission, at))]
  },
}

/** The names of `count` tools of forty servers. */
export function toolNames(count) {
  return times(count, (at) => `server${at % 40}_${VERBS[at % VERBS.length]}_${at}`)
}

/** The rules as the text of a configuration. Throws where JSON could not say them in this order. */
export function configOf(rules) {
  const blocks = new Map()
  let last
  for (const { permission, pattern, action } of rules) {
    if (permission !== last && blocks.has(permission)) throw new Error(`the rules for ${permission} do not stand together`)
    if (!blocks.has(permission)) blocks.set(permission, [])
    blocks.get(permission).push({ pattern, action })
    last = permission
  }
  const permission = Object.fromEntries([...blocks].map(([name, block]) => [name, blockOf(block)]))
  return JSON.stringify({ permission })
}

function blockOf(block) {
  if (block.length === 1 && block[0].pattern === '*') return block[0].action
  const isDistinct = new Set(block.map(({ pattern }) => pattern)).size === block.length
  return isDistinct ? Object.fromEntries(block.map(({ pattern, action }) => [pattern, action])) : block
}

function catchAll() {
  return { permission: '*', pattern: '*', action: 'ask' }
}

function bash(pattern, draw, actions = ACTIONS) {
  return { permission: TOOL, pattern, action: draw.pick(actions) }
}

/** Only a deny on `*` can hide a tool; a specific one would mean different things to different gates. */
function anyPattern(draw, permission, at) {
  return draw.chance(0.7)
    ? { permission, pattern: '*', action: draw.pick(ACTIONS) }
    : { permission, pattern: command(draw, at), action: draw.pick(['allow', 'ask']) }
}

/** A pattern of one of three kinds, unlike that of any other rule. */
function command(draw, at) {
  const start = `${draw.pick(PROGRAMS)} ${draw.pick(VERBS)}`
  return [`${start} target-${at}`, `${start} target-${at} *`, `${start} --name * target-${at}`][draw.below(3)]
}

/** A pattern of one of four kinds that starts with `*`. */
function leadingStar(at) {
  return [`*.ext${at}`, `*/secret${at}/*`, `* --flag${at}`, `*token${at}*`][at % 4]
}

/** Commands that no rule but a catch-all matches, though programs and first letters agree. */
function freeCalls(draw, count) {
  return times(count, (at) => `${draw.pick(PROGRAMS)} ${draw.pick(FREE_VERBS)} src/module-${at}/file.ts --depth ${draw.below(99)}`)
}

/** A command that `pattern` matches. */
function callFor(pattern) {
  return pattern.replaceAll('*', 'x-1')
}

function shuffled(draw, list) {
  const left = [...list]
  return times(list.length, () => left.splice(draw.below(left.length), 1)[0])
}

function times(count, make) {
  return Array.from({ length: Math.max(0, count) }, (_, at) => make(at))
}
