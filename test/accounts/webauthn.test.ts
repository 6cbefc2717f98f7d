import { createPublicKey } from 'node:crypto'
import { type VerifyAuthenticationResponseOpts, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { expect, test } from 'vitest'
import { checkAssertion, readRegistration } from '#accounts/webauthn.ts'
import { Authenticator } from '#test/api/support/authenticator.ts'

const site = { origin: 'https://coins.example', site: 'coins.example' }
const challenge = Buffer.from('a challenge of ours').toString('base64url')
const redeem = async (given: string): Promise<boolean> => given === challenge
const asked = { challenge, ...site, signCount: 7 }

const cases = {
  'a valid assertion': [{}, 3],
  'a counter that does not count': [{ signCount: 0 }, 0],
  'a counter that did not grow': [{}, 7],
  'another origin': [{ origin: 'https://coins.example.net' }, 3],
  'another site': [{ site: 'example.net' }, 3],
  'another challenge': [{ challenge: Buffer.from('another').toString('base64url') }, 3],
  'a registration': [{ type: 'webauthn.create' }, 3],
  'a user who was not verified': [{ flags: 1 }, 3],
  'nobody present': [{ flags: 4 }, 3],
} as const

/** The public key of ES256 as authenticators encode it (COSE). */
function coseKey(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const { x = '', y = '' } = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  })
  const part = (text: string): Buffer => Buffer.from(text, 'base64url')
  const hex = (text: string): Buffer => Buffer.from(text, 'hex')
  return Uint8Array.from(Buffer.concat([hex('a5010203262001215820'), part(x), hex('225820'), part(y)]))
}

test.each(Object.entries(cases))('%s is judged as @simplewebauthn/server does', async (name, [change, counter]) => {
  const authenticator = new Authenticator()
  const registered = await readRegistration(authenticator.register(asked), site, redeem)
  const answer = authenticator.assert({ ...asked, ...change })
  const ours = await checkAssertion(answer, site, { ...registered!, sign_count: counter }, redeem)
  const options: VerifyAuthenticationResponseOpts = {
    response: { ...answer, rawId: answer.id, type: 'public-key', clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.site,
    credential: { id: answer.id, publicKey: coseKey(registered!.public_key), counter },
  }
  const theirs = await verifyAuthenticationResponse(options).catch(() => undefined)
  expect(ours).toBe(theirs?.verified ? theirs.authenticationInfo.newCounter : undefined)
  expect(ours !== undefined).toBe(name === 'a valid assertion' || name === 'a counter that does not count')
})
