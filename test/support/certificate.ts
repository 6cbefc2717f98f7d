import { spawnSync } from 'node:child_process'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Writes a self-signed certificate of an IP address, valid for two days, and its key to files. */
export function createCertificate(address: string, key: string, cert: string): void {
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=IP:${address}`]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const { status, stderr } = spawnSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject])
  if (status !== 0) throw new Error(String(stderr))
}
