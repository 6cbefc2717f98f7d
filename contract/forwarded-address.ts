/**
 * Header in which the tool server names its caller: a secret shared with the API, a space, and the
 * caller's address. The API ignores it without the right secret.
 */
export const forwardedAddressHeader = 'x-coinstrata-forwarded-for'

export const writeForwardedAddress = (secret: string, address: string): string => `${secret} ${address}`
