/**
 * Header by which the tool server says for whom it asks: a secret that it shares with the API, a space, and the address
 * of the caller. Without the right secret it means nothing.
 */
export const forwardedAddressHeader = 'x-coinstrata-forwarded-for'

export const writeForwardedAddress = (secret: string, address: string): string => `${secret} ${address}`
