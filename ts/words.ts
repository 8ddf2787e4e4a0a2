// The words that rules and declarations are written in. They stand apart because configuration,
// options, questions and explanations all speak them.

/** What a rule says about a call. */
export type Action = 'allow' | 'ask' | 'deny'

/** Every effect class, mildest first. */
export const effects = ['read', 'internal-write', 'external-write', 'destructive'] as const

/**
 * What a call may do to the world: nothing, change what the agent owns, change what others see,
 * or do something that cannot be undone.
 */
export type Effect = (typeof effects)[number]

const known: ReadonlySet<unknown> = new Set(effects)

/** Whether `value` is an effect class. */
export function isEffect(value: unknown): value is Effect {
  return known.has(value)
}

/** Whether a call needs an approval and a record that makes it run at most once. */
export function isGuarded(effect: Effect): boolean {
  return effect === 'external-write' || effect === 'destructive'
}

/** A rule with more than an action: which resources, and under which conditions on the input. */
export interface Rule {
  readonly pattern?: string
  /** A map from a path (`input.amount`, `role`) to a JSON Schema fragment; all must hold. */
  readonly when?: Readonly<Record<string, object>>
  readonly action: Action
}

/** Rules the way the configuration writes them. The order of keys is the order of rules. */
export type PermissionBlock =
  | Action
  | Readonly<Record<string, Action | Readonly<Record<string, Action>> | readonly Rule[]>>
