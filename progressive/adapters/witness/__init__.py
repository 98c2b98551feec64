"""What a witness stores: the newest cosigned checkpoint of every log, and evidence, as files.

Also the file that names its logs. Its key is a key like others: `adapters/seals/key_file.py`.
"""
