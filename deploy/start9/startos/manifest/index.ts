import { setupManifest } from '@start9labs/start-sdk'

export const manifest = setupManifest({
  id: 'coinstrata',
  title: 'Coinstrata',
  license: 'MIT',
  packageRepo: 'https://coinstrata.invalid/repository',
  upstreamRepo: 'https://coinstrata.invalid/repository',
  marketingUrl: 'https://coinstrata.invalid',
  donationUrl: null,
  description: {
    short: 'Bitcoin on-chain analytics from your own node',
    long: 'Reads every block that your node has verified, works out the age and the cost of every coin that ever existed, and shows over 5,000 metrics as pages, a REST API, tables, and tools for AI assistants.',
  },
  volumes: ['main'],
  images: {
    coinstrata: {
      source: { dockerBuild: { dockerfile: '../../Dockerfile', workdir: '../..' } },
      arch: ['x86_64', 'aarch64'],
    },
  },
  dependencies: {
    bitcoind: {
      description: 'The node whose blocks are read',
      optional: false,
      metadata: { title: 'Bitcoin', icon: './icon.svg' },
    },
  },
})
