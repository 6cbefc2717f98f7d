import { z } from 'zod'
import { boardBody, boardRow } from '../board.ts'
import { newPictureBody } from '../bodies.ts'
import { pictureRow } from '../rows.ts'
import { actionDefaults, idPath, listDefaults } from './defaults.ts'

const sharePath = z.object({ share: z.string().meta({ example: 'AbCdEfGhIjKlMnOpQrStUvWx' }) })

export const sharingActions = {
  pictures: {
    ...listDefaults,
    path: '/v1/pictures',
    summary: 'Public addresses of charts of the account, newest first',
    row: pictureRow,
  },
  createPicture: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/pictures',
    summary:
      'Create a public address of a chart for other sites, with the rights and limits of the account, valid until it is removed; needs tier pro',
    body: newPictureBody,
    row: pictureRow,
    status: 201,
    limitShare: 0.1,
  },
  removePicture: {
    ...actionDefaults,
    method: 'delete',
    path: '/v1/pictures/{id}',
    summary: 'Remove the address of a picture for good',
    pathParameters: idPath('AbCdEfGhIjKlMnOpQrStUvWx'),
    row: z.strictObject({ id: z.string() }),
  },
  board: {
    ...actionDefaults,
    method: 'get',
    path: '/v1/board',
    summary: 'The board of the account: addresses of charts on pages of this service',
    row: boardRow,
  },
  writeBoard: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/board',
    summary: 'Replace the board',
    body: boardBody,
    bodySize: '128kb',
    row: boardRow,
  },
  shareBoard: {
    ...actionDefaults,
    method: 'post',
    path: '/v1/board/share',
    summary: 'Create a new share link to the board, which viewers see with their own rights; it replaces the older one',
    row: boardRow,
    status: 201,
  },
  unshareBoard: {
    ...actionDefaults,
    method: 'delete',
    path: '/v1/board/share',
    summary: 'Stop sharing the board',
    row: boardRow,
  },
  sharedBoard: {
    ...actionDefaults,
    method: 'get',
    path: '/v1/boards/{share}',
    summary: 'A board that somebody shares; needs no account',
    pathParameters: sharePath,
    row: boardBody,
  },
} as const
