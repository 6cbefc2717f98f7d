import { type ActionRow, act } from '../../data/accounts.ts'
import { toBase64Url } from '../../data/url-codec.ts'

export const supportsPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential

export async function createPasskey(name: string): Promise<void> {
  const options = await requestOptions('POST /v1/passkeys/registration')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  if (
    !(credential instanceof PublicKeyCredential) ||
    !(credential.response instanceof AuthenticatorAttestationResponse)
  ) {
    throw new Error('the browser did not create a passkey')
  }
  const { response } = credential
  const key = response.getPublicKey()
  if (!key) throw new Error('the browser does not reveal the public key of the passkey')
  await act('POST /v1/passkeys', {
    body: {
      name,
      credential: {
        id: credential.id,
        response: {
          clientDataJSON: toBase64Url(response.clientDataJSON),
          authenticatorData: toBase64Url(response.getAuthenticatorData()),
          publicKey: toBase64Url(key),
        },
      },
    },
  })
}

export async function signWithPasskey() {
  const options = await requestOptions('POST /v1/passkeys/challenge')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey })
  if (
    !(credential instanceof PublicKeyCredential) ||
    !(credential.response instanceof AuthenticatorAssertionResponse)
  ) {
    throw new Error('the browser returned no passkey')
  }
  const { clientDataJSON, authenticatorData, signature } = credential.response
  return {
    id: credential.id,
    response: {
      clientDataJSON: toBase64Url(clientDataJSON),
      authenticatorData: toBase64Url(authenticatorData),
      signature: toBase64Url(signature),
    },
  }
}

async function requestOptions<N extends 'POST /v1/passkeys/registration' | 'POST /v1/passkeys/challenge'>(
  action: N,
): Promise<ActionRow<N>> {
  const [options] = await act(action)
  if (!options) throw new Error('the service sent no request for a passkey')
  return options
}
