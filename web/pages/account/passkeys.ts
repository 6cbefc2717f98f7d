import { type ActionRow, act } from '../../data/accounts.ts'

export const supportsPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

export async function createPasskey(name: string): Promise<void> {
  const options = await requestOptions('POST /v1/passkeys/registration')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser did not create a passkey')
  const { id, response } = credential.toJSON()
  const key = 'publicKey' in response ? response.publicKey : undefined
  if (!key) throw new Error('the browser does not reveal the public key of the passkey')
  const { clientDataJSON, authenticatorData } = response
  await act('POST /v1/passkeys', {
    body: { name, credential: { id, response: { clientDataJSON, authenticatorData, publicKey: key } } },
  })
}

export async function signWithPasskey() {
  const options = await requestOptions('POST /v1/passkeys/challenge')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser returned no passkey')
  const { id, response } = credential.toJSON()
  if (!('signature' in response)) throw new Error('the browser returned no passkey')
  const { clientDataJSON, authenticatorData, signature } = response
  return { id, response: { clientDataJSON, authenticatorData, signature } }
}

async function requestOptions<N extends 'POST /v1/passkeys/registration' | 'POST /v1/passkeys/challenge'>(
  action: N,
): Promise<ActionRow<N>> {
  const [options] = await act(action)
  if (!options) throw new Error('the service sent no request for a passkey')
  return options
}
