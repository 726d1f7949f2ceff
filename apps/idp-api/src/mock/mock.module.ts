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

/** The routes by which users request samples. They exist only with MOCK_ENABLED. */
@Module({ imports: [MockModule], controllers: [MockController] })
export class MockRoutesModule {}
