import { Body, Get, Header, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AnswerWriter,
  ApiPage,
  CurrentActor,
  GovernanceController,
  ReadsBody,
  Refuses,
  Requires,
  ResourceId,
  type Actor,
  type HttpResponse,
} from '#access';
import { Clock, ForbiddenError, UnavailableError, type Page } from '#core';
import { DeviceAuthorityCache } from '../authority/device-authority-cache.js';
import { DeviceListService } from '../device-list.service.js';
import { AuthorityNotFoundError, DeviceNotFoundError } from '../device.errors.js';
import { DeviceService } from '../device.service.js';
import { ListDevicesQueryDto, RevokeDeviceDto } from './device.dto.js';
import { CERTIFICATE_EXAMPLE, LIST_EXAMPLE } from './device.examples.js';
import { DeviceResponseDto } from './device-response.dto.js';
import { presentDevice } from './device.presenter.js';
import { acceptsDer, authoritiesFile, CERTIFICATES_PEM, LIST_DER, LIST_PEM, listFile, listsFile } from './pki-files.js';

const NO_AUTHORITY = new AuthorityNotFoundError().message;
const OWN = 'With the scope devices:read:own, only devices of the user behind the credential.';

/** The devices of the caller's organization. */
@GovernanceController('v1/devices', 'Devices')
export class DevicesController {
  constructor(
    private readonly devices: DeviceService,
    private readonly lists: DeviceListService,
    private readonly shelf: DeviceAuthorityCache,
    private readonly clock: Clock,
    private readonly answers: AnswerWriter,
  ) {}

  @Get()
  @Requires(['devices:read', 'devices:read:own'])
  @Refuses(400)
  @ApiOperation({
    operationId: 'listDevices',
    summary: 'List devices, the one that was enrolled last first',
    description: OWN,
  })
  @ApiPage(DeviceResponseDto)
  list(@CurrentActor() actor: Actor, @Query() query: ListDevicesQueryDto): Promise<Page<DeviceResponseDto>> {
    const own = onlyOf(actor);
    const { status, cursor, limit, user_id = own } = query;
    if (own !== undefined && user_id?.toLowerCase() !== own) {
      throw new ForbiddenError('This credential may read its own devices only.');
    }
    const now = this.clock.now();
    const wanted = { status, cursor, limit, user_id };
    return this.lists.list(actor.orgId, wanted, device => presentDevice(device, now));
  }

  // Before the route of one device, which would take the word for an id.
  @Get('crl')
  @Header('Cache-Control', 'no-cache')
  @Header('Vary', 'Accept')
  @Requires('devices:read')
  @Refuses([404, NO_AUTHORITY])
  @ApiOperation({
    operationId: 'getRevocationList',
    summary: 'Get the revocation lists of the organization’s authorities',
    description:
      'In PEM one list per authority that has not run out, the newest first: what `openssl verify -CRLfile` takes. In DER ' +
      'the list of the newest alone. A revocation stands in the next list that is fetched.',
  })
  @ApiHeader({
    name: 'accept',
    required: false,
    description: `\`${LIST_DER}\` for DER.`,
    schema: { type: 'string', enum: [LIST_PEM, LIST_DER] },
  })
  @ApiOkResponse({
    description: 'The lists.',
    content: {
      [LIST_PEM]: { schema: { type: 'string' }, example: LIST_EXAMPLE },
      [LIST_DER]: { schema: { type: 'string', format: 'binary' }, example: '(DER)' },
    },
  })
  async revocationList(
    @CurrentActor() { orgId }: Actor,
    @Res() response: HttpResponse,
    @Headers('accept') accept?: string,
  ): Promise<void> {
    const lists = await this.shelf.revocationLists(orgId);
    const [newest] = lists;
    if (!newest) throw new UnavailableError('There is no revocation list yet; try again shortly.');
    this.answers.write(response, acceptsDer(accept) ? listFile(newest) : listsFile(lists));
  }

  @Get('ca')
  @Header('Cache-Control', 'no-cache')
  @Requires('devices:read')
  @Refuses([404, NO_AUTHORITY])
  @ApiOperation({
    operationId: 'getDeviceAuthorities',
    summary: 'Get the certificates of the organization’s authorities',
    description: 'Those that have not run out, the newest first, in PEM: what relying parties are to trust.',
  })
  @ApiOkResponse({
    description: 'The certificates.',
    content: { [CERTIFICATES_PEM]: { schema: { type: 'string' }, example: CERTIFICATE_EXAMPLE } },
  })
  async authorities(@CurrentActor() { orgId }: Actor, @Res() response: HttpResponse): Promise<void> {
    this.answers.write(response, authoritiesFile(await this.shelf.good(orgId)));
  }

  @Get(':id')
  @Requires(['devices:read', 'devices:read:own'])
  @Refuses(404)
  @ApiOperation({ operationId: 'getDevice', summary: 'Get a device', description: OWN })
  @ApiOkResponse({ type: DeviceResponseDto, description: 'The device.' })
  async get(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<DeviceResponseDto> {
    const own = onlyOf(actor);
    const device = await this.devices.get(actor.orgId, id);
    // Others are hidden, not forbidden: whether they exist is not told.
    if (own !== undefined && device.userId !== own) throw new DeviceNotFoundError();
    return presentDevice(device, this.clock.now());
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Requires('devices:write')
  @ReadsBody({ optional: true })
  @ApiBody({ type: RevokeDeviceDto, required: false })
  @Refuses(400, 404, [409, 'The device is revoked already; enroll it anew to use it again.'], 413, 415)
  @ApiOperation({
    operationId: 'revokeDevice',
    summary: 'Revoke a device with all its certificates, for good',
    description:
      'Decisions on every replica know within a second, and the next revocation list names the certificates. With ' +
      '`key_compromise`, every other device that has or had one of its keys is revoked with it, and a device that was ' +
      'revoked for another reason takes on this one.',
  })
  @ApiOkResponse({ type: DeviceResponseDto, description: 'The device, revoked.' })
  async revoke(
    @CurrentActor() actor: Actor,
    @ResourceId() id: string,
    @Body() { reason, crl_reason: code }: RevokeDeviceDto,
  ): Promise<DeviceResponseDto> {
    return presentDevice(await this.devices.revoke(actor, id, { reason, code }), this.clock.now());
  }
}

/** Undefined for a credential that may read every device; otherwise the user whose devices alone it may read. */
function onlyOf({ scopes, userId }: Actor): string | undefined {
  if (scopes.has('devices:read')) return undefined;
  if (userId === undefined) {
    throw new ForbiddenError('This credential may read its own devices only, but belongs to no user.');
  }
  return userId.toLowerCase();
}
