"""Settings of Django's own tests: two databases of the server whose port $PORT names."""

import os

_DATABASE = {
    "ENGINE": "django.db.backends.mysql",
    "HOST": "127.0.0.1",
    "PORT": os.environ["PORT"],
    "USER": "root",
    "TEST": {"CHARSET": "utf8mb4", "COLLATION": "utf8mb4_general_ci"},
}
DATABASES = {"default": {**_DATABASE, "NAME": "suite"}, "other": {**_DATABASE, "NAME": "suite_other"}}
SECRET_KEY = "a key that keeps no secret"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
TEST_RUNNER = "django_results.RecordingRunner"
