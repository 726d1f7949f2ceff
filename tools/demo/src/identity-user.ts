import type { Answer } from './client';
import { VendorDesk } from './identity-vendor';
import type { Scene } from './scene';

/** A user of identity protection, who calls the client API. */
export class IdentityUser {
  readonly vendor: VendorDesk;
  readonly krn: string;
  /** The user's token with a second factor. */
  protected secondFactor = '';

  constructor(readonly scene: Scene) {
    this.vendor = new VendorDesk(scene);
    this.krn = `krn:tandem:demo:user:jane-${scene.run}`;
  }

  /** Makes a request as the user, by default with a second factor. */
  call(method: string, path: string, body?: object, token = this.secondFactor): Promise<Answer> {
    return this.scene.client.call(method, `${this.scene.stack.baseUrl}/idp/array/users${path}`, { token, body });
  }

  /** Checks the status and the error variant of an answer. @throws CheckFailedError when one of them differs */
  expectVariant(what: string, { status, body }: Answer, expected: number, variant: object): void {
    this.scene.narrator.equal(what, [status, body], [expected, { BadRequest: variant }]);
  }
}
