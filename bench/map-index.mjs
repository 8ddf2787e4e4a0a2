// A JavaScript index as a good programmer writes it by hand for the same rules: nothing crosses to
// native code, so up to some hundred rules it is the one to beat. Printed beside every decision.

/** Answers `decide(permission, resource)` with the action of the last rule that matches. */
export function mapIndex(rules) {
  const named = new Map()
  const globs = []
  rules.forEach(({ permission, pattern }, at) => {
    let bucket = named.get(permission)
    if (bucket === undefined) {
      bucket = { glob: permission, exact: new Map(), prefixes: new Map(), lengths: [], lastAny: -1, loose: [] }
      named.set(permission, bucket)
      if (/[*?]/.test(permission)) globs.push(bucket)
    }
    addTo(bucket, pattern, at)
  })
  for (const bucket of named.values()) bucket.lengths.sort((a, b) => b - a)
  // Which globs mean a permission is found once.
  const found = new Map()
  const bucketsOf = (permission) => {
    let buckets = found.get(permission)
    if (buckets === undefined) {
      buckets = globs.filter(({ glob }) => matches(glob, permission))
      const exact = named.get(permission)
      if (exact !== undefined) buckets.push(exact)
      found.set(permission, buckets)
    }
    return buckets
  }
  return (permission, resource) => {
    let best = -1
    for (const bucket of bucketsOf(permission)) best = lastIn(bucket, resource, best)
    return best < 0 ? 'ask' : rules[best].action
  }
}

function addTo(bucket, pattern, at) {
  const wildcard = pattern.search(/[*?]/)
  if (pattern === '*') bucket.lastAny = at
  else if (wildcard < 0) bucket.exact.set(pattern, at)
  else {
    // `git *` also matches `git`.
    const isTailOptional = pattern.endsWith(' *')
    const start = isTailOptional && wildcard === pattern.length - 1 ? wildcard - 1 : wildcard
    if (start <= 0) {
      bucket.loose.unshift({ pattern, at })
      return
    }
    const prefix = pattern.slice(0, start)
    if (!bucket.prefixes.has(prefix)) bucket.prefixes.set(prefix, [])
    bucket.prefixes.get(prefix).unshift({ pattern, at })
    if (!bucket.lengths.includes(prefix.length)) bucket.lengths.push(prefix.length)
  }
}

function lastIn(bucket, resource, floor) {
  let best = Math.max(floor, bucket.lastAny, bucket.exact.get(resource) ?? -1)
  for (const length of bucket.lengths) {
    if (length > resource.length) continue
    const rules = bucket.prefixes.get(resource.slice(0, length))
    if (rules !== undefined) best = lastOf(rules, resource, best)
  }
  return bucket.loose.length === 0 ? best : lastOf(bucket.loose, resource, best)
}

function lastOf(rules, resource, floor) {
  for (const { pattern, at } of rules) {
    if (at <= floor) return floor
    if (matches(pattern, resource)) return at
  }
  return floor
}

function matches(pattern, text) {
  return walk(pattern, text) || (pattern.endsWith(' *') && walk(pattern.slice(0, -2), text))
}

/** The two-pointer walk: a mismatch goes back to the last `*`. */
function walk(pattern, text) {
  let [inPattern, inText, star, from] = [0, 0, -1, 0]
  while (inText < text.length) {
    const wanted = pattern[inPattern]
    if (wanted === '*') {
      star = inPattern
      from = inText
      inPattern += 1
    } else if (wanted === '?' || wanted === text[inText]) {
      inPattern += 1
      inText += 1
    } else if (star >= 0) {
      inPattern = star + 1
      from += 1
      inText = from
    } else return false
  }
  while (pattern[inPattern] === '*') inPattern += 1
  return inPattern === pattern.length
}
