import { Module } from '@nestjs/common';
import { Completions } from './completions.js';
import { StaffModule } from './staff.js';
import { ViolationsListener } from './violations.listener.js';

/** Asks governance before each call of a model, and tells people of violations. */
@Module({ imports: [StaffModule], providers: [Completions, ViolationsListener], exports: [Completions] })
export class CompletionsModule {}
