import { Module } from '@nestjs/common';
import { ProfileModule } from '../profile/profile.module';
import { MockController } from './mock.controller';
import { MockRepository } from './mock.repository';
import { MockService } from './mock.service';

@Module({
  imports: [ProfileModule],
  providers: [MockService, MockRepository],
  exports: [MockService],
})
export class MockModule {}

/** The routes by which users ask for samples: only where MOCK_ENABLED says so. */
@Module({ imports: [MockModule], controllers: [MockController] })
export class MockRoutesModule {}
