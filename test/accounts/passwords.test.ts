import { expect, test } from 'vitest'
import { Passwords } from '#accounts/passwords.ts'
import { cheapPasswords, password } from '../api/support/test-server.ts'

test('passwords are hashed as OWASP recommends, with a salt each', async () => {
  const passwords = new Passwords()
  const [one, two] = await Promise.all([passwords.hash(password, 'a'), passwords.hash(password, 'b')])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await Promise.all([passwords.verify(password, one, 'a'), passwords.verify('other', two, 'b')])).toEqual([
    true,
    false,
  ])
})

test('a hash of another program holds', async () => {
  // `argon2` of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -k 65536
  // -p 1 -l 32.
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const passwords = new Passwords(cheapPasswords)
  expect(await passwords.verify('password', stored, 'a')).toBe(true)
  expect(await passwords.verify('Password', stored, 'a')).toBe(false)
})

test('guesses are worked on two at a time, of callers in turn, and who asks for too many is sent away', async () => {
  const passwords = new Passwords(cheapPasswords)
  // While none has ended, each counts as 70 ms: in five seconds two at a time get through some 140.
  const greedy = Array.from({ length: 150 }, () => passwords.verify('guess', undefined, 'greedy'))
  const other = passwords.verify('guess', undefined, 'other')
  const outcomes = await Promise.allSettled(greedy)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(20)
  for (const outcome of refused) {
    expect(outcome.status === 'rejected' && outcome.reason).toMatchObject({ code: 'sign_in_overloaded', status: 503 })
  }
  expect(await other).toBe(false)
})
