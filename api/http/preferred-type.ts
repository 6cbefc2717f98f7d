/**
 * The best of `offered` for a header such as Accept or Accept-Encoding: highest q, then named
 * explicitly rather than by `*`, then first offered. Undefined if it accepts none (RFC 9110, 12.5).
 */
export function preferredType<Name extends string>(header: string, offered: readonly Name[]): Name | undefined {
  const ranges = header.split(',').map((text) => {
    const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { name, q: q === undefined ? 1 : Number(q) || 0 }
  })
  const liked = offered.map((name) => {
    const matching = [name, name.replace(/\/.*/, '/*'), '*/*', '*'].flatMap((range) =>
      ranges.filter((one) => one.name === range),
    )
    return { name, q: matching[0]?.q ?? 0, isNamed: matching[0]?.name === name }
  })
  const [best] = liked
    .filter(({ q }) => q > 0)
    .sort((one, other) => other.q - one.q || Number(other.isNamed) - Number(one.isNamed))
  return best?.name
}
