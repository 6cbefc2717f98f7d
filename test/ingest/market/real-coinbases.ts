/**
 * Coinbases of mainnet. `pool` is that of the public list, null if it knows none; `payouts` is
 * empty if the source does not tell them.
 */
export const realCoinbases: readonly {
  readonly height: number
  readonly pool: string | null
  readonly script: string
  readonly payouts: readonly string[]
  readonly source: string
}[] = [
  {
    height: 0,
    pool: null,
    script:
      '04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73',
    payouts: [
      '4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac',
    ],
    source:
      'transaction 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 10000,
    pool: null,
    script: '04ffff001d026f03',
    payouts: [
      '41042f462d3245d2f3a015f7f9505f763ee1080cab36191d07ae9e6509f71bb68818719e6fb41c019bf48ae11c45b024d476e19b6963103ce8647fc15fee513b15c7ac',
    ],
    source:
      'transaction 9c397f783042029888ec02f0a461cfa2cc8e3c7897f476e338720a2a86731c60, in github.com/0xB10C/rust-bitcoin-pool-identification, src/lib.rs',
  },
  {
    height: 116928,
    pool: null,
    script: '04bdcb001b013d',
    payouts: [
      '41046e37e5a28701c8fa5df3f4850932ea48417b8dd5ba2443510eef98f9f5d5ce581e1e4b46af3f5bb557ba3f03a1dd1a85b54e4de667f0626fc9a013408680472cac',
    ],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_116927.json',
  },
  {
    height: 150007,
    pool: null,
    script: '04233fa04e028b12',
    payouts: [
      '41047eda6bd04fb27cab6e7c28c99b94977f073e912f25d1ff7165d9c95cd9bbe6da7e7ad7f2acb09e0ced91705f7616af53bee51a238b7dc527f2be0aa60469d140ac',
    ],
    source:
      'transaction 18a16d322b235f636ab90e62e79a9f20a0b9c14e8da51e9dc0974f99f82ee444, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 150013,
    pool: null,
    script: '044b6d0b1a038e5701',
    payouts: [
      '4104daee30712638675d3601f920ea8398fc4ac958e59b4f45991446f0ff6a890f2d2c8f9418171843497e7caf537a0f860332e0546ee98723a04d9cddf64477a21bac',
    ],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_150012.json',
  },
  {
    height: 210000,
    pool: 'braiins_pool',
    script: '03503403062f503253482f04ac2cb6500808003a0201000002072f736c7573682f',
    payouts: ['76a914e8e6ace10f10ce5ed479c7188c9b4061e53aa90688ac'],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_209999.json',
  },
  {
    height: 227835,
    pool: null,
    script: '0479204f51024f09062f503253482f',
    payouts: ['2103ddcdae35e28aca364daa1397612d2dafd891ee136d2ca5ab83faff6bc12ed67eac'],
    source:
      'transaction c4f406368ba5eb3070162af94eba1e3871dede9333545062a6a45b8a3a50eb01, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 227836,
    pool: 'braiins_pool',
    script: '03fc7903062f503253482f04ac204f510858029a11000003550d3363646164312f736c7573682f',
    payouts: ['76a914e285a29e0704004d4e95dbb7c57a98563d9fb2eb88ac'],
    source:
      'transaction 0f3601a5da2f516fa9d3f80c9bf6e530f1afb0c90da73e8f8ad0630c5483afe5, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 235759,
    pool: 'btc_guild',
    script: '03ef98030400001059124d696e656420627920425443204775696c640800000037000011ca',
    payouts: ['76a91427a1f12771de5cc3b73941664b2537c15316be4388ac'],
    source: 'transaction 05f1f0c7fc25005e7c6e56805130b4d540125a8d09f81ec3da621f99ee5d15c1, in tests of several miners',
  },
  {
    height: 255018,
    pool: 'btc_guild',
    script:
      '032ae40304000bf57b05124d696e656420627920425443204775696c642cfabe6d6d9b06072ec8730fc12e0bdd9c99b076ccbc207d4bfed552dbfa696a0ecb759245010000000000000008019c812a40050000',
    payouts: ['76a91427a1f12771de5cc3b73941664b2537c15316be4388ac'],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_255017.json',
  },
  {
    height: 257343,
    pool: 'ghash_io',
    script:
      '033fed03062f503253482f048191305208705c004c0000285c36522cfabe6d6d415c0163a1bcecbf15ac152630ca5e59eb170f199e2a7ce418ab6eac162162c9040000000000000067686173682e696f',
    payouts: ['76a91480ad90d403581fa3bf46086a91b2d9d4125db6c188ac'],
    source:
      'transaction 90d10b04417f2698fa8fed92ca5c951d26613a1737da69a7450f8c7706ba8783, in notes on block 0000000000000004f3fb306baa0638ffc181bc6b9752f9325612559c04d57bf9',
  },
  {
    height: 300000,
    pool: 'ghash_io',
    script:
      '03e09304062f503253482f0403c86d53087ceca141295a00002e522cfabe6d6d7561cf262313da1144026c8f7a43e3899c44f6145f39a36507d36679a8b700610400000000000000',
    payouts: ['76a91480ad90d403581fa3bf46086a91b2d9d4125db6c188ac'],
    source:
      'transaction b39fa6c39b99683ac8f456721b270786c627ecb246700888315991877024b983, in github.com/0xB10C/rust-bitcoin-pool-identification, src/lib.rs',
  },
  {
    height: 400021,
    pool: 'btcc',
    script: '03951a0604f15ccf5609013803062b9b5a0100072f425443432f20',
    payouts: ['76a9142c30a6aaac6d96687291475d7d52f4b469f665a688ac'],
    source:
      'transaction 2844c6f512f5609705c90c1603e9258779a0fe5e200664b0c1a1abad33da637e, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 403200,
    pool: 'f2pool',
    script:
      '0300270637e4b883e5bda9e7a59ee4bb99e9b1bcf8d6c95e79f40e91f773267b557c384e8b75707229bbf4c183d2fa3307509a6602000000f09f909f134d696e65642062792068616f6274636d6273370000000000000000000000000000000000000000',
    payouts: ['76a914c825a1ecf2a6830c4401620c3a16f1995057c2ab88ac'],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_403199.json',
  },
  {
    height: 455860,
    pool: 'bitcoinrussia',
    script:
      '03b4f40604f4fbbb5808fabe6d6dc6c7031efbd1de4725926e45c2ba9443fd84234cfb4cfb606e7d873cbdbdb88001000000000000005fffff799b3703000d2f6e6f64655374726174756d2f',
    payouts: ['76a9142573e708154145b6a6a4a8898a2e458e6828d10688ac'],
    source:
      'transaction 980fab41429b321b4722dcfb780d6f39f9f19065f1a96a5058689c312e0b16be, in github.com/0xB10C/rust-bitcoin-pool-identification, src/lib.rs',
  },
  {
    height: 461373,
    pool: 'bwpool',
    script:
      '033d0a070004b663ec58049cba630608733867a0787a02000a425720537570706f727420384d200a666973686572206a696e78696e092f425720506f6f6c2f',
    payouts: ['76a914721afdf638d570285d02d3076d8be6a03ee0794d88ac'],
    source:
      'transaction 7cf05175ce9c8dbfff9aafa8263edc613fc08f876e476553009afcf7e3868a0c, in tests of parity-bitcoin, from blockchain.info',
  },
  {
    height: 478558,
    pool: 'btc_com',
    script:
      '035e4d07041b7f80592f4254432e434f4d2f4e59412ffabe6d6d76943b04a6c216512fd74f26b905d6a0e21e06a1cac859eecba5d2d3e6b854f4010000000000000003c5fdc32939008c00000000',
    payouts: ['a914e083685a1097ce1ea9e91987ab9e94eae33d8a1387'],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_478557.json',
  },
  {
    height: 481824,
    pool: 'btcc',
    script:
      '03205a07f4d3f9da09acf878c2c9c96c410d69758f0eae0e479184e0564589052e832c42899c867100010000000000000000db9901006052ce25d80acfde2f425443432f20537570706f7274202f4e59412f000000000000000000000000000000000000',
    payouts: ['76a9142c30a6aaac6d96687291475d7d52f4b469f665a688ac'],
    source:
      'transaction da917699942e4a96272401b534381a75512eeebe8403084500bd637bd47168b3, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 500000,
    pool: 'btc_com',
    script:
      '0320a107046f0a385a632f4254432e434f4d2ffabe6d6dbdd0ee86f9a1badfd0aa1b3c9dac8d90840cf973f7b2590d6c9adde1a6e0974a010000000000000001283da9a172020000000000',
    payouts: ['a914228f554bbf766d6f9cc828de1126e3d35d15e5fe87'],
    source:
      'transaction 2157b554dcfda405233906e461ee593875ae4b1b97615872db6a25130ecc1dd6, in tests against blockstream.info',
  },
  {
    height: 500531,
    pool: '58coin',
    script: '0333a307122f3538636f696e2e636f6d2f16205a3cfb3dbe4f0000d84e0100',
    payouts: [],
    source: 'blockstream.info, block 500,531, in tests of a parser of scripts',
  },
  {
    height: 507516,
    pool: 'btc_top',
    script:
      '037cbe0741d69d9c6acce4d141d69d9c69f9bef52f4254432e544f502ffabe6d6d143120f7b3da918f12ffb328ab935fbfe2d1cd9bb4707265d7fee23fd6cf372780000000000000005a44cacf0000f8a441200000',
    payouts: [
      '76a914172cc5187962a7255beddfbd99b547ff7a79352788ac',
      '76a9149eecda14fe314502197be7401f4bc3000d73335a88ac',
    ],
    source: 'github.com/Blockchain-Technology-Lab/consensus-decentralization, tests of its parser',
  },
  {
    height: 507715,
    pool: 'gbminers',
    script:
      '0343bf07132f6d696e65642062792067626d696e6572732f2cfabe6d6d94976ecebbc73b3d4214b3d7ab330dca2129ebfcc863fa75623c6f95891e7346010000000000000010af8b66002da910ef408c776852840100',
    payouts: [
      '76a914bba87b8e503100c5cb8e308222a86eedb1fc185988ac',
      '76a9141604af30867311fdaf8cc0124ab9dc439b96e50f88ac',
    ],
    source: 'github.com/Blockchain-Technology-Lab/consensus-decentralization, tests of its parser',
  },
  {
    height: 508434,
    pool: null,
    script: '0312c207040a1e7e5a2f0879deffabf9010000000000',
    payouts: ['76a9146682d73fc35667607ab4a510a57bedd0ef17aa0188ac', 'a9149e49b87ea71cf1c0e6ea843ecf23608875d1ddbc87'],
    source: 'github.com/Blockchain-Technology-Lab/consensus-decentralization, tests of its parser',
  },
  {
    height: 510199,
    pool: null,
    script: '03f7c8070418158d5a2f08b033a0a15b020000000000',
    payouts: ['76a9146682d73fc35667607ab4a510a57bedd0ef17aa0188ac', 'a9149e49b87ea71cf1c0e6ea843ecf23608875d1ddbc87'],
    source: 'github.com/Blockchain-Technology-Lab/consensus-decentralization, tests of its parser',
  },
  {
    height: 510888,
    pool: 'wayi_cn',
    script:
      '03a8cb0741d6a4be8b5ec50141d6a4be8aedceda2f45324d2026204254432e544f502ffabe6d6dfb9300ef260402c08b34b5d1dd57904edf0e9e167e99c51d7dbe5f0c06d6b31d8000000000000000e600589dbdabaaca00000000',
    payouts: [
      '76a914172cc5187962a7255beddfbd99b547ff7a79352788ac',
      '76a9149eecda14fe314502197be7401f4bc3000d73335a88ac',
    ],
    source: 'github.com/Blockchain-Technology-Lab/consensus-decentralization, tests of its parser',
  },
  {
    height: 538403,
    pool: 'antpool',
    script: '03233708184d696e656420627920416e74506f6f6c373946205b8160a4256c0000946e0100',
    payouts: ['76a914edf10a7fac6b32e24daa5305c723f3de58db1bc888ac'],
    source:
      'transaction 31e9370f45eb48f6f52ef683b0737332f09f1cead75608021185450422ec1a71, in github.com/keep-starknet-strange/shinigami, tests of coinbases',
  },
  {
    height: 600000,
    pool: 'bitfury',
    script: '03c027090004ff52aa5d042b05083008a6e7b35c6e202a00092f426974667572792f',
    payouts: [],
    source: 'tests of a reader of block files in Go',
  },
  {
    height: 625890,
    pool: 'spiderpool',
    script:
      '03e28c0904b8ff695e322f537069646572506f6f6c2ffabe6d6dda153ebb0e68d606ba543955fc4aece1fa6ebf31c8dec55114914bb4cfc20a2401000000000000000100076acb69000000000000',
    payouts: [],
    source: 'block 00000000000000000080a268f9d00b7e05a3362884cd525fa540308205af8e04, in documentation of a block API',
  },
  {
    height: 648775,
    pool: 'poolin',
    script:
      '0347e609046998635f2f706f6f6c696e2e636f6d2ffabe6d6d092f11a0c31abafdc2ecf84f0aedd3745a6ce7e38d139dabc350f0822caa6500010000000000000013d3f5221eab97eaca195f9135a260ca118042487c00d10e000000000000',
    payouts: [],
    source: 'transaction aefaf56793980778f4ed2d5d1900a4e99a9029966b0897ae35ad3d6c6a6d1e5d, in tests of a wallet',
  },
  {
    height: 670718,
    pool: 'btc_com',
    script:
      '03fe3b0a04c16b2a6065752f4254432e636f6d2ffabe6d6d5793cfdad17c5272fca204a71fb04e88a5955239c018b8e5186ce838e789f7d4020000008e9b20aa04f5d252bb00000000000000',
    payouts: ['76a91474e878616bd5e5236ecb22667627eeecbff54b9f88ac'],
    source:
      'transaction c90679e7b8f5b5d5f94ebee977206d8db8f70d8a49f841a98e5f7a07b0e963b2, in github.com/0xB10C/rust-bitcoin-pool-identification, src/lib.rs',
  },
  {
    height: 670828,
    pool: 'viabtc',
    script:
      '036c3c0a1c2f5669614254432f4d696e6564206279206c6565686f6f343434342f2cfabe6d6d41f647100ea398435411f0297fd9d798625e1b82c82451f7c6ccb59c0c67ec07100000000000000010d02cfe0845dca9281bb0ee077c090000',
    payouts: ['76a914536ffa992491508dca0354e52f32a3a7a679a53a88ac'],
    source:
      'transaction 71093a08fe47c9d0c08921049f1a317541d78470376d7029c5e27fda2205361b, in github.com/0xB10C/rust-bitcoin-pool-identification, src/lib.rs',
  },
  {
    height: 670987,
    pool: 'braiins_pool',
    script:
      '030b3d0afabe6d6d87a2773b0dfb971a762db2fd5a473882417a86aa7e1a2993feec04bfa383f93701000000000000002b6501031eb6e5300303000000000002c54ac6082f736c7573682f',
    payouts: ['76a9147c154ed1dc59609e3d26abb2df2ea3d587cd8c4188ac'],
    source:
      'transaction 069dc08e89524fb1f2120ecc383ec54bc3e54b9c63716ba4352147dcdd7240a6, in github.com/0xB10C/rust-bitcoin-pool-identification, src/lib.rs',
  },
  {
    height: 682736,
    pool: 'viabtc',
    script:
      '03f06a0a202f5669614254432f4d696e6564206279206a617669647361656964373037332f2cfabe6d6d6e43ef2e06f7137b897180388403ee5019b8ff0ca4a045ea3cd82e3e41620fe91000000000000000105462a20fc21591f70e691905660b0000',
    payouts: ['76a914536ffa992491508dca0354e52f32a3a7a679a53a88ac'],
    source: 'github.com/Blockchain-Technology-Lab/consensus-decentralization, tests of its parser',
  },
  {
    height: 757739,
    pool: 'f2pool',
    script:
      '03eb8f0b2cfabe6d6d3d9dcc85dcc9e3b3a6327338fc9694e26302274bb3199d278d4e1aa254070ec710000000f09f909f092f4632506f6f6c2f6b0000000000000000000000000000000000000000000000000000000000000000000000050001000000',
    payouts: ['76a914c825a1ecf2a6830c4401620c3a16f1995057c2ab88ac'],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_757738.json',
  },
  {
    height: 757753,
    pool: 'braiins_pool',
    script:
      '03f98f0bfabe6d6d6f6b40c9e789288de6b143461e8cc6d81422f96fd92fdf3cbfa35ce3956b45850100000000000000136508037f966daf720200000000003648394e182f736c7573682f',
    payouts: ['76a9147c154ed1dc59609e3d26abb2df2ea3d587cd8c4188ac'],
    source: 'github.com/keep-starknet-strange/raito, packages/client/tests/data/full_757752.json',
  },
  {
    height: 840000,
    pool: 'viabtc',
    script:
      '0340d10c192f5669614254432f4d696e65642062792062757a7a3132302f2cfabe6d6d144b553283a6e1a150c9989428c0695e3a1bef7d482ed1f829bbe25897fd37dc10000000000000001058a4c9000cc3a31889b38ae08249000000000000',
    payouts: ['76a914536ffa992491508dca0354e52f32a3a7a679a53a88ac'],
    source:
      'transaction a0db149ace545beabbd87a8d6b20ffd6aa3b5a50e58add49a3d435f898c272cf, in github.com/0xB10C/rawtx-rs, tests of outputs',
  },
  {
    height: 856739,
    pool: 'antpool',
    script:
      '03a3120d1b4d696e656420627920416e74506f6f6c3837349f00010293f49debfabe6d6d7ce2d695ffb032041ea85db181f3aea78cf47946d5e610fe32292d95db1eca551000000000000000540c00005737000000000000',
    payouts: [],
    source:
      'transaction 9603a850d3da9f230d36d03c83eb402c18fae9754cdb528a242c96dac0187538, in tests of a reader of coinbases in Rust',
  },
  {
    height: 856740,
    pool: 'mara_pool',
    script:
      '03a4120d04b5a2bc667c204d41524120506f6f6c207c204d61646520696e2055534120f09f87baf09f87b8207c202876303331393234293c39dbd326a3c601527b7112d4f11f911356a5e9450000000000ffffffff',
    payouts: [],
    source:
      'transaction 82f3748ef4ffc2acfefbbc682adf34532eef41e13c4819085a8af611a8f118fa, in tests of a reader of coinbases in Rust',
  },
  {
    height: 877780,
    pool: 'luxor',
    script:
      '03d4640d1d506f7765726564206279204c75786f7220546563682400320238d28ebcfabe6d6d84e0cf7e6b67e03bd3ff229bb662e6878c4f4ad115d4c9a1284fb8c6bd9012ec10000000000000000000c437001a360200000000',
    payouts: ['a914056adde53ebc396a1b3b678bb0d3a5c116ff430c87'],
    source:
      'transaction 1c1cd0ebe9cbdf1ca5e9debbd5007321019c50046e29a17ca38895a309a432dd, in github.com/0xB10C/rawtx-rs, tests of outputs',
  },
  {
    height: 877792,
    pool: 'foundry_usa',
    script: '03e0640d04843979672f466f756e6472792055534120506f6f6c202364726f70676f6c642f234456df3d616f0000000000',
    payouts: ['00207086320071974eef5e72eaa01dd9096e10c0383483855ea6b344259c244f73c2'],
    source:
      'transaction 0d22b51487d7b06b76fe894898b0cccf598f037b0f42701f37875e531b6e48e9, in github.com/0xB10C/rawtx-rs, tests of outputs',
  },
  {
    height: 883230,
    pool: 'sbi_crypto',
    script: '031e7a0d041379aa672f53424943727970746f2e636f6d20506f6f6c2f0e8f08296459410349b85901',
    payouts: ['00141843e47a9034732c7d904b5cae76e2c5d64e799c'],
    source: 'transaction 17a992d8e38f314cec47136e3059305091d105053c2a98adb7476bf9c0b21270, in mempool.space',
  },
  {
    height: 957350,
    pool: 'ocean',
    script: '03a69b0e1c3c204f4345414e2e58595a203e0f53696d706c65204d696e696e6700071392104a2e9652',
    payouts: ['00141785306913ebe204303194aac203a572a7cf1c16'],
    source:
      'transaction 4141f216c50a0859f6cac757bf4f1ad4b3831467667525966d8cc67b0dfabaa9, in test data of a reader of blocks',
  },
  {
    height: 966077,
    pool: 'binance_pool',
    script:
      '03bdbd0e1062696e616e63652f7d00ac0368c0b33bfabe6d6d9cb7757ef23f9e3067a3dbf5f5fb1c52c34e6efb95f19c887ede7e43cbccdf5d100000000000000000003718e209000000000000',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966079,
    pool: 'mara_pool',
    script:
      '03bfbd0e04a806a06a7c204d415241204d61646520696e2055534120f09f87baf09f87b8207c76303513fdbad5700000374985ffffffff',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966083,
    pool: 'viabtc',
    script:
      '03c3bd0e082f5669614254432f2cfabe6d6df86564611927c1c28788210d26c90d6b75a1c949011718ac00a55d7e21c67c5e1000000000000000109549ec03b21642f7a93c3016d9b5000000000000',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966084,
    pool: 'f2pool',
    script:
      '03c4bd0e2cfabe6d6df7d99ceea687f9a248c2b8cf9cd5cc3c8346348de9fc7c391c71a82826db25ba10000000f09f909f0c2f6632706f6f6c2e6b7a2f63000000000000000000000000000000000000000000000000000000000000000005004fa30200',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966085,
    pool: 'foundry_usa',
    script: '03c5bd0e048e9901172f466f756e6472792055534120506f6f6c202364726f70676f6c642f2a1140d11d2c000000000000',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966086,
    pool: 'antpool',
    script:
      '03c6bd0e194d696e656420627920416e74506f6f6c20000023008b4fa021fabe6d6d9f129e0ce05bb0377a39289bc8dc1244c8c8acbf8e8e8284f50f99212aaee80e1000000000000000000030b8f8c9e3f700000000',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966087,
    pool: 'nicehash',
    script: '03c7bd0e9c68db2cab10152b870000052f4e696365486173684d696e696e672f',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
  {
    height: 966088,
    pool: 'f2pool',
    script:
      '03c8bd0e2cfabe6d6d1b59c5fdc32436bf55d870ff242b5751b79753b9473fa1b10989cf231b526ecf10000000f09f909f092f4632506f6f6c2f650000000000000000000000000000000000000000000000000000000000000000000000050018e6f175',
    payouts: [],
    source: 'blocks 966,077 to 966,088 as a node recorded them for the tests of satcortex',
  },
]
