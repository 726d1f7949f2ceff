import { Link } from '../components/link';
import { Page } from '../components/page';
import { texts } from '../texts/common';

export const NotFoundPage = () => (
  <Page title={texts.errors.notFound}>
    <Link to="/">{texts.errors.notFoundBack}</Link>
  </Page>
);
