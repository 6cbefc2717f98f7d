/**
 * Of what is offered, what a header such as Accept or Accept-Encoding likes best: the greatest q, then what it names
 * itself rather than by `*`, then what is offered first. Undefined where it takes nothing of it (RFC 9110, 12.5).
 */
export function preferred<Name extends string>(header: string, offered: readonly Name[]): Name | undefined {
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
