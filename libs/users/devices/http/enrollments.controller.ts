import { Body, Delete, Header, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentActor, GovernanceController, Refuses, Requires, ResourceId, type Actor } from '#access';
import { EnrollmentService } from '../enroll/enrollment.service.js';
import { CreateEnrollmentDto, EnrollmentResponseDto } from './device.dto.js';
import { presentEnrollment } from './device.presenter.js';

const NO_STORE = { 'Cache-Control': { description: 'Always `no-store`.', schema: { type: 'string' } } } as const;
const SUSPENDED = 'The user is suspended; only devices of active users are enrolled and renewed.';

/** Leave to enroll devices. */
@GovernanceController('v1/devices/enrollments', 'Devices')
export class EnrollmentsController {
  constructor(private readonly enrollments: EnrollmentService) {}

  @Post()
  // The answer holds a token.
  @Header('Cache-Control', 'no-store')
  @Requires('devices:write')
  @Refuses(400, [409, SUSPENDED], 413, 415)
  @ApiOperation({
    operationId: 'createDeviceEnrollment',
    summary: 'Make a one-time token with which a device of a user can be enrolled',
  })
  @ApiCreatedResponse({
    type: EnrollmentResponseDto,
    description: 'The enrollment with its token, which is shown here only.',
    headers: NO_STORE,
  })
  async create(@CurrentActor() actor: Actor, @Body() body: CreateEnrollmentDto): Promise<EnrollmentResponseDto> {
    const { user_id: userId, name, expires_at } = body;
    const expiresAt = expires_at === undefined ? undefined : new Date(expires_at);
    return presentEnrollment(await this.enrollments.issue(actor, { userId, name, expiresAt }));
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Requires('devices:write')
  @Refuses(404, [409, 'A device was enrolled with it already; revoke the device instead.'])
  @ApiOperation({ operationId: 'deleteDeviceEnrollment', summary: 'Take back a token that was not used' })
  @ApiNoContentResponse({ description: 'Nothing can be enrolled with it any more.' })
  cancel(@CurrentActor() actor: Actor, @ResourceId() id: string): Promise<void> {
    return this.enrollments.cancel(actor, id);
  }
}
