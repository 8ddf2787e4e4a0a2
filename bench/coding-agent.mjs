// The peer of the permission benchmarks: rules the way coding agents evaluate them. A list of
// `{ permission, pattern, action }`, searched from its end; both globs of each rule become a RegExp
// at every call. (The semantics are those of opencode; the code is ours.)

const METACHARACTERS = /[.+^${}()|[\]\\]/g

/** `*` is any run of characters, `?` is one; ` *` at the end may be missing. */
function matches(text, glob) {
  const wanted = glob.replaceAll('\\', '/')
  let source = wanted.replace(METACHARACTERS, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')
  if (source.endsWith(' .*')) source = `${source.slice(0, -3)}( .*)?`
  return new RegExp(`^${source}$`, 's').test(text.replaceAll('\\', '/'))
}

/** The action of the last rule that matches, else `ask`. */
export function evaluate(rules, permission, resource) {
  const rule = rules.findLast(
    (candidate) => matches(permission, candidate.permission) && matches(resource, candidate.pattern),
  )
  return rule?.action ?? 'ask'
}

/** The tools that a model does not see: the last rule for the name denies everything. */
export function disabled(rules, names) {
  const hidden = new Set()
  for (const name of names) {
    const rule = rules.findLast(({ permission }) => matches(name, permission))
    if (rule !== undefined && rule.pattern === '*' && rule.action === 'deny') hidden.add(name)
  }
  return hidden
}
